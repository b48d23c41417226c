"""Short conversations in four languages, each sentence with a question that uses other forms of its words."""

from __future__ import annotations

from collections.abc import Iterator

from tests.verify.known_items import Asked
from unabridged.message import Message, Role, Text

SAID: dict[str, tuple[tuple[str, str], ...]] = {
    "Turkish": (
        ("Arabamı dün akşam istasyonun arkasına park ettim.", "Arabayı nereye park etmiştim?"),
        ("Kız kardeşim önümüzdeki ay İzmir'e taşınıyor.", "Kardeşim hangi şehre taşınacak?"),
        ("Doktor bana fıstık alerjim olduğunu söyledi.", "Neye alerjim var, fıstığa mı?"),
        ("Yedekleri artık kırmızı diskte saklıyoruz.", "Yedekler hangi diskte saklanıyor?"),
        ("Toplantıyı perşembe sabahına aldılar.", "Toplantı ne zaman, perşembeye mi alındı?"),
        ("Veritabanının parolasını geçen hafta değiştirdik.", "Veritabanı parolası ne zaman değişti?"),
        ("Komşumuzun köpeği bütün gece havladı.", "Komşunun köpeği ne yaptı?"),
        ("Ödemeyi üç taksitte yapmaya karar verdik.", "Ödemeler kaç taksitte yapılacak?"),
        ("Sunucuyu Ankara'daki merkeze kurduk.", "Sunucu nerede kuruldu?"),
        ("Babam emekli olunca balıkçılığa başladı.", "Babam emeklilikte neye başladı, balıkçılık mı?"),
        ("Pasaportumun süresi kasımda bitiyor.", "Pasaportun süresi ne zaman bitecek?"),
        ("Raporu müdüre göndermeyi unuttum.", "Rapor kime gönderilecekti?"),
    ),
    "German": (
        ("Ich habe das Fahrrad gestern hinter dem Bahnhof abgestellt.", "Wo steht mein Fahrrad, beim Bahnhof?"),
        ("Meine Schwester zieht im nächsten Monat nach Köln.", "Wohin zieht die Schwester nächsten Monat?"),
        ("Der Zahnarzt sagt, ich müsse zwei Füllungen erneuern.", "Was sagte der Zahnarzt über die Füllung?"),
        ("Die Sicherungen liegen jetzt auf der roten Festplatte.", "Auf welcher Festplatte liegt die Sicherung?"),
        ("Wir haben die Besprechung auf Donnerstag früh verlegt.", "Wann ist die verlegte Besprechung?"),
        ("Das Kennwort der Datenbank wurde letzte Woche geändert.", "Wann änderten wir das Kennwort der Datenbanken?"),
        ("Der Hund unserer Nachbarn hat die ganze Nacht gebellt.", "Was machte der Hund des Nachbarn nachts?"),
        ("Die Versicherung übernimmt nur die Hälfte der Kosten.", "Wie viel übernehmen Versicherungen von den Kosten?"),
        ("Der neue Server läuft im Rechenzentrum in München.", "In welchem Rechenzentrum laufen die Server?"),
        ("Mein Großvater sammelt seit vierzig Jahren Briefmarken.", "Was sammelte Großvater, Briefmarke oder Münze?"),
        ("Mein Reisepass läuft im November ab.", "Wann muss ich den Reisepass erneuern, läuft er ab?"),
        ("Ich habe vergessen, dem Vermieter die Schlüssel zu geben.", "Wem sollte ich den Schlüssel geben?"),
    ),
    "Chinese": (
        ("我昨天把自行车停在火车站后面了。", "自行车停在哪里？"),
        ("我妹妹下个月要搬到杭州去。", "妹妹要搬到哪个城市？"),
        ("医生说我对花生过敏。", "我对什么过敏？"),
        ("备份现在放在红色的硬盘上。", "备份放在哪块硬盘？"),
        ("会议改到星期四早上了。", "会议是星期几？"),
        ("数据库的密码上周换过了。", "数据库密码什么时候换的？"),
        ("邻居的狗整夜都在叫。", "邻居的狗怎么了？"),
        ("我们决定分三期付款。", "付款分几期？"),
        ("新服务器装在深圳的机房里。", "服务器在哪个机房？"),
        ("我爷爷收集邮票四十年了。", "爷爷收集什么？"),
        ("我的护照十一月到期。", "护照什么时候到期？"),
        ("我忘了把钥匙还给房东。", "钥匙要还给谁？"),
    ),
    "Japanese": (
        ("昨日、自転車を駅の裏に止めました。", "自転車はどこに止めた？"),
        ("妹は来月、福岡に引っ越します。", "妹が引っ越すのはどこ？"),
        ("医者に落花生のアレルギーだと言われました。", "何のアレルギー？"),
        ("バックアップは今、赤いディスクにあります。", "バックアップはどのディスク？"),
        ("会議は木曜の朝に変わりました。", "会議はいつになった？"),
        ("データベースのパスワードは先週変えました。", "データベースのパスワードをいつ変えた？"),
        ("隣の犬が一晩中吠えていました。", "隣の犬は何をしていた？"),
        ("支払いは三回に分けることにしました。", "支払いは何回に分ける？"),
        ("新しいサーバーは大阪のデータセンターで動いています。", "サーバーが動いているのはどこのデータセンター？"),
        ("祖父は四十年も切手を集めています。", "祖父が集めているものは？"),
        ("パスポートは十一月に切れます。", "パスポートはいつ切れる？"),
        ("大家さんに鍵を返すのを忘れました。", "鍵は誰に返す？"),
    ),
}  # fmt: skip


def tongues() -> Iterator[tuple[str, list[Message], list[Asked]]]:
    """Give, for each language, a conversation and what is asked about it."""
    for name, pairs in SAID.items():
        said = [each for each, _ in pairs]
        messages = [Message(id=f"{name}-{at}", role=Role.USER, parts=(Text(each),)) for at, each in enumerate(said)]
        yield name, messages, [Asked(question, f"{name}-{number}") for number, (_, question) in enumerate(pairs)]


_CHINESE_AND_JAPANESE = (
    "Where did I park my bicycle?",
    "Where is my sister moving?",
    "What am I allergic to?",
    "Where are the backups kept?",
    "When is the meeting?",
    "Did somebody change the password of the database?",
    "What did the neighbour's dog do?",
    "How will we pay?",
    "Where is the new server?",
    "What does my grandfather collect?",
    "When does my passport expire?",
    "Who should get the key?",
)
ENGLISH: dict[str, tuple[str, ...]] = {
    "Turkish": (
        "Where did I leave the car?",
        "Where will my sister live?",
        "Which food must I not eat?",
        "Where do we keep the backups?",
        "When is the meeting?",
        "Did somebody change the password of the database?",
        "What made noise at night?",
        "How will we pay?",
        "In which city is the server?",
        "What does my father do since he retired?",
        "When do I need a new passport?",
        "What did I forget to send?",
    ),
    "German": (
        "Where is my bicycle?",
        "Who is moving to another city?",
        "What has to be done to my teeth?",
        "Where are the backups kept?",
        "When is the meeting?",
        "Did somebody change the password of the database?",
        "What made noise at night?",
        "How much does the insurance pay?",
        "Where is the new server running?",
        "What does my grandfather collect?",
        "When does my passport expire?",
        "What did I forget to give back?",
    ),
    "Chinese": _CHINESE_AND_JAPANESE,
    "Japanese": _CHINESE_AND_JAPANESE,
}
"""The same sentences asked for in English, with no word of them."""


def across() -> Iterator[tuple[str, list[Message], list[Asked]]]:
    """Give each conversation again, with what somebody asks about it who writes another language."""
    for name, messages, _ in tongues():
        yield name, messages, [Asked(question, f"{name}-{at}") for at, question in enumerate(ENGLISH[name])]
