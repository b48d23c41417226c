"""A few lines of everyday text in many languages, written for the tests: what a user asks, what an agent answers."""

from __future__ import annotations

SENTENCES: dict[str, str] = {
    "English": (
        "Yesterday the nightly build failed again, and nobody on the team could say why. We looked at the log for "
        "an hour before somebody noticed that the disk was full. After cleaning it we started everything once "
        "more, and this time all of the tests passed. Could you write down what we learned, so that the next "
        "person does not lose an evening over it? Please keep it short, name the command that helped, and mention "
        "which folder must never be deleted. By the way, the customer called: they would like to see the new "
        "report before Friday, with last month's numbers."
    ),
    "German": (
        "Gestern ist der nächtliche Lauf wieder fehlgeschlagen, und niemand im Team konnte sagen, warum. Wir haben "
        "eine Stunde lang das Protokoll gelesen, bis jemand bemerkte, dass die Festplatte voll war. Nach dem "
        "Aufräumen haben wir alles noch einmal gestartet, und diesmal waren alle Prüfungen erfolgreich. Kannst du "
        "bitte aufschreiben, was wir gelernt haben? Halte es kurz, nenne den Befehl, der geholfen hat, und sage, "
        "welcher Ordner bleiben muss."
    ),
    "French": (
        "Hier, la construction de la nuit a encore échoué, et personne dans l'équipe ne savait pourquoi. Nous "
        "avons lu le journal pendant une heure avant que quelqu'un remarque que le disque était plein. Après le "
        "nettoyage, nous avons tout relancé, et cette fois tous les tests sont passés. Pourrais-tu écrire ce que "
        "nous avons appris ? Fais court, cite la commande qui nous a aidés, et précise quel dossier il ne faut "
        "jamais effacer."
    ),
    "Spanish": (
        "Ayer la compilación nocturna volvió a fallar y nadie del equipo supo decir por qué. Leímos el registro "
        "durante una hora hasta que alguien se dio cuenta de que el disco estaba lleno. Después de limpiarlo lo "
        "iniciamos todo otra vez, y ahora sí pasaron todas las pruebas. ¿Puedes escribir lo que hemos aprendido? "
        "Que sea breve, con el comando que nos ayudó y con la carpeta que no se debe borrar nunca."
    ),
    "Italian": (
        "Ieri la compilazione notturna è fallita di nuovo e nessuno nella squadra sapeva dire perché. Abbiamo "
        "letto il registro per un'ora, finché qualcuno si è accorto che il disco era pieno. Dopo la pulizia "
        "abbiamo riavviato tutto e questa volta le prove sono passate. Puoi scrivere che cosa abbiamo imparato? In "
        "breve, con il comando giusto."
    ),
    "Portuguese": (
        "Ontem a compilação da noite falhou outra vez, e ninguém da equipe soube dizer por quê. Lemos o registro "
        "durante uma hora até alguém perceber que o disco estava cheio. Depois da limpeza começamos tudo de novo, "
        "e desta vez todos os testes passaram. Você pode escrever o que aprendemos? Seja breve e diga qual pasta "
        "não pode ser apagada."
    ),
    "Turkish": (
        "Dün geceki derleme yine başarısız oldu ve ekipte kimse nedenini söyleyemedi. Birisi diskin dolu olduğunu "
        "fark edene kadar bir saat boyunca günlüğü okuduk. Temizlikten sonra her şeyi yeniden başlattık ve bu "
        "sefer bütün testler geçti. Ne öğrendiğimizi yazar mısın? Kısa olsun, işe yarayan komutu ve silinmemesi "
        "gereken klasörü söyle."
    ),
    "Polish": (
        "Wczoraj nocna kompilacja znowu się nie udała i nikt w zespole nie potrafił powiedzieć dlaczego. Przez "
        "godzinę czytaliśmy dziennik, aż ktoś zauważył, że dysk jest pełny. Po sprzątaniu uruchomiliśmy wszystko "
        "jeszcze raz i tym razem wszystkie testy przeszły. Czy możesz zapisać, czego się nauczyliśmy? Krótko, z "
        "poleceniem."
    ),
    "Vietnamese": (
        "Hôm qua bản dựng ban đêm lại bị lỗi và không ai trong nhóm biết tại sao. Chúng tôi đọc nhật ký suốt một "
        "giờ cho đến khi có người nhận ra rằng ổ đĩa đã đầy. Sau khi dọn dẹp, chúng tôi chạy lại tất cả và lần này "
        "mọi bài kiểm tra đều qua. Bạn có thể ghi lại những gì chúng ta đã học không? Hãy viết ngắn gọn và nêu "
        "lệnh đã giúp ích."
    ),
    "Indonesian": (
        "Kemarin proses malam gagal lagi dan tidak seorang pun di tim tahu sebabnya. Kami membaca catatan selama "
        "satu jam sampai seseorang sadar bahwa ruang penyimpanan sudah penuh. Setelah dibersihkan kami menjalankan "
        "semuanya sekali lagi dan kali ini semua pengujian berhasil. Bisakah kamu menuliskan apa yang kita "
        "pelajari dengan singkat?"
    ),
    "Russian": (
        "Вчера ночная сборка снова не удалась, и никто в команде не мог сказать почему. Мы целый час читали "
        "журнал, пока кто-то не заметил, что диск переполнен. После очистки мы запустили всё ещё раз, и на этот "
        "раз все проверки прошли. Можешь записать, чему мы научились? Коротко, с командой, которая помогла."
    ),
    "Ukrainian": (
        "Учора нічна збірка знову не вдалася, і ніхто в команді не міг сказати чому. Ми цілу годину читали журнал, "
        "поки хтось не помітив, що диск переповнений. Після очищення ми запустили все ще раз, і цього разу всі "
        "перевірки пройшли. Можеш записати, чого ми навчилися? Коротко, з командою, яка допомогла."
    ),
    "Greek": (
        "Χθες η νυχτερινή δοκιμή απέτυχε ξανά και κανείς στην ομάδα δεν ήξερε γιατί. Διαβάζαμε το αρχείο για μία "
        "ώρα, ώσπου κάποιος πρόσεξε ότι ο δίσκος ήταν γεμάτος. Μετά τον καθαρισμό τα ξεκινήσαμε όλα πάλι και αυτή "
        "τη φορά πέτυχαν."
    ),
    "Arabic": (
        "فشلت عملية البناء الليلية مرة أخرى أمس ولم يستطع أحد في الفريق أن يقول لماذا. قرأنا السجل لمدة ساعة حتى "
        "لاحظ أحدنا أن القرص ممتلئ. بعد التنظيف بدأنا كل شيء من جديد وهذه المرة نجحت جميع الاختبارات. هل يمكنك أن "
        "تكتب ما تعلمناه؟"
    ),
    "Hebrew": (
        "אתמול הבנייה הלילית נכשלה שוב ואף אחד בצוות לא ידע להגיד למה. קראנו את היומן במשך שעה עד שמישהו שם לב "
        "שהדיסק מלא. אחרי הניקוי התחלנו הכול מחדש והפעם כל הבדיקות עברו. אפשר לכתוב מה למדנו?"
    ),
    "Hindi": (
        "कल रात का निर्माण फिर विफल हो गया और टीम में कोई नहीं बता सका कि क्यों। हमने एक घंटे तक लॉग पढ़ा, तब किसी "
        "ने देखा कि डिस्क भर गई थी। सफाई के बाद हमने सब कुछ फिर से शुरू किया और इस बार सभी परीक्षण सफल रहे। क्या "
        "आप लिख सकते हैं कि हमने क्या सीखा?"
    ),
    "Thai": (
        "เมื่อวานการสร้างตอนกลางคืนล้มเหลวอีกครั้งและไม่มีใครในทีมบอกได้ว่าทำไม เราอ่านบันทึกอยู่หนึ่งชั่วโมงจนมีคน"
        "สังเกตว่าดิสก์เต็ม หลังจากทำความสะอาดแล้วเราเริ่มทุกอย่างใหม่และครั้งนี้การทดสอบทั้งหมดผ่าน"
    ),
    "Chinese": (
        "昨天夜里的构建又失败了，团队里没有人说得出原因。我们看了一个小时的日志，才有人发现磁盘已经满了。清理之后我"
        "们把所有步骤重新运行了一遍，这一次全部测试都通过了。请把我们学到的东西写下来，越短越好，并且写明哪条命令有"
        "用、哪个文件夹不能删除。另外，客户打来电话，希望在星期五之前看到新的报告和上个月的数字。"
    ),
    "Japanese": (
        "昨日の夜のビルドがまた失敗しましたが、チームの誰も理由を説明できませんでした。一時間ほどログを読んで、やっ"
        "とディスクがいっぱいだと気づきました。掃除をしてからもう一度すべてを実行すると、今度は全部のテストが通りま"
        "した。学んだことを短く書いてください。"
    ),
    "Korean": (
        "어제 밤 빌드가 또 실패했는데 팀에서 아무도 이유를 말하지 못했습니다. 한 시간 동안 로그를 읽고 나서야 "
        "누군가 디스크가 가득 찼다는 것을 알아차렸습니다. 정리한 뒤에 모든 것을 다시 실행했고 이번에는 모든 "
        "테스트가 통과했습니다. 배운 것을 짧게 적어 주세요."
    ),
}
