"use strict";
/* The page: which call is chosen, and what is shown of it. */

const FATES = ["kept", "truncated", "compacted", "dropped", "summary", "repaired", "added", "out"];
const SAID = { out: "left out" };
const CHUNK = 12;

class Page {
  constructor(walk) {
    this.walk = walk;
    this.call = -1;
    this.filter = "";
    this.wanted = null;
    this.listed = [];
    this.drawn = 0;
    this.near = true;
    this.main = document.getElementById("request");
    this.rows = new Map();
    for (const link of document.querySelectorAll(".fits a")) this.rows.set(Number(link.textContent.replace(/\D/g, "")) - 1, link.closest("tr"));
    this.timeline();
    this.bar();
    this.keys();
    addEventListener("hashchange", () => this.choose(this.hashed()));
    this.choose(this.hashed() ?? this.walk.fits[0] ?? this.walk.count - 1, true);
  }

  hashed() {
    const found = /^#call-(\d+)$/.exec(location.hash);
    return found ? Number(found[1]) - 1 : null;
  }

  timeline() {
    const { walk } = this;
    this.at = make("i", { id: "at" });
    this.over = make("i", { id: "over", hidden: "" });
    this.tip = make("div", { id: "tip", hidden: "" });
    this.pick = make("div", { id: "pick", role: "slider", tabindex: "0", "aria-label": "Model call", "aria-valuemin": "1", "aria-valuemax": walk.count }, this.over, this.at);
    const plot = document.getElementById("plot");
    plot.append(this.pick, this.tip);
    const called = (event) => {
      const box = this.pick.getBoundingClientRect();
      return Math.max(0, Math.min(walk.count - 1, Math.floor(((event.clientX - box.left) / box.width) * walk.count)));
    };
    let drags = false;
    this.pick.addEventListener("pointerdown", (event) => {
      drags = true;
      this.pick.setPointerCapture(event.pointerId);
      this.choose(called(event));
    });
    this.pick.addEventListener("pointermove", (event) => {
      this.hint(called(event));
      if (drags) this.choose(called(event));
    });
    for (const end of ["pointerup", "pointercancel"]) this.pick.addEventListener(end, () => (drags = false));
    this.pick.addEventListener("pointerleave", () => (this.over.hidden = this.tip.hidden = true));
  }

  place(element, call) {
    element.style.left = `${(100 * call) / this.walk.count}%`;
    element.style.width = `${100 / this.walk.count}%`;
  }

  hint(call) {
    this.over.hidden = this.tip.hidden = false;
    this.place(this.over, call);
    this.tip.textContent = this.told(call).join("\n");
    const right = call > this.walk.count / 2;
    const share = (100 * (call + 0.5)) / this.walk.count;
    this.tip.style.left = right ? "auto" : `${share}%`;
    this.tip.style.right = right ? `${100 - share}%` : "auto";
  }

  told(call) {
    const { calls, refusals, reports } = this.walk;
    const lines = [`call ${number(call + 1)}`];
    if (calls.tokens[call] === null) lines.push(refusals[call]);
    else lines.push(`${number(calls.tokens[call])} tokens sent, ${number(calls.cached[call])} the same as before`);
    lines.push(`${number(calls.full[call])} with nothing left out`);
    if (reports[call]) lines.push(reports[call][0][1]);
    return lines;
  }

  bar() {
    const step = (words, title, act) => button(words, act, { "aria-label": title, title });
    this.title = make("h2", { id: "title" });
    this.facts = make("span", { class: "facts" });
    this.back = step("‹ call", "Previous call (left arrow)", () => this.choose(this.call - 1));
    this.next = step("call ›", "Next call (right arrow)", () => this.choose(this.call + 1));
    this.fitBack = step("« fit", "Previous fit (shift and left arrow)", () => this.fit(-1));
    this.fitNext = step("fit »", "Next fit (shift and right arrow)", () => this.fit(1));
    this.report = make("dl", { class: "fit-report", hidden: "" });
    this.strip = make("div", { class: "strip", "aria-hidden": "true" });
    this.served = make("div", { class: "served", title: "the same as in the request before: a prompt cache serves it", "aria-hidden": "true" }, make("i"));
    this.search = make("input", { type: "search", placeholder: "Search the transcript  /", "aria-label": "Search the transcript, what is left out too" });
    this.search.addEventListener("input", () => this.soon());
    this.hits = make("span", { class: "facts", role: "status" });
    this.chips = make("div");
    const help = step("?", "Keys", () => this.help());
    const steps = make("span", { class: "push" }, this.fitBack, " ", this.back, " ", this.next, " ", this.fitNext, " ", help);
    this.list = make("div", { id: "list" });
    this.tail = make("div", { class: "tail" });
    const head = make("section", { class: "bar", "aria-labelledby": "title" },
      make("div", null, this.title, steps), make("div", null, this.facts), this.report, this.strip, this.served,
      make("div", null, this.search, this.hits), this.chips);
    this.spoken = make("p", { class: "unseen", "aria-live": "polite" });
    this.main.replaceChildren(head, this.list, this.tail, this.spoken);
    const watch = new IntersectionObserver((seen) => {
      this.near = seen[seen.length - 1].isIntersecting;
      this.more();
    }, { rootMargin: "1500px" });
    watch.observe(this.tail);
  }

  choose(call, quiet) {
    if (call === null || Number.isNaN(call)) return;
    call = Math.max(0, Math.min(this.walk.count - 1, call));
    if (call === this.call) return;
    this.rows.get(this.call)?.classList.remove("now");
    this.call = call;
    const row = this.rows.get(call);
    row?.classList.add("now");
    const box = row?.closest(".scroll");
    if (box && (row.offsetTop < box.scrollTop + 30 || row.offsetTop > box.scrollTop + box.clientHeight - 40)) box.scrollTop = row.offsetTop - box.clientHeight / 2;
    this.place(this.at, call);
    this.pick.setAttribute("aria-valuenow", call + 1);
    this.pick.setAttribute("aria-valuetext", this.told(call).join(", "));
    if (!this.drawing) this.drawing = requestAnimationFrame(() => {
      this.drawing = 0;
      this.draw();
      if (!quiet) history.replaceState(null, "", `#call-${this.call + 1}`);
    });
  }

  fit(way) {
    const { fits } = this.walk;
    const found = way > 0 ? fits.find((each) => each > this.call) : fits.findLast((each) => each < this.call);
    if (found !== undefined) this.choose(found);
  }

  draw() {
    const { walk, call } = this;
    const { calls } = walk;
    this.entries = walk.entries(call);
    const tokens = calls.tokens[call];
    this.title.textContent = `Call ${number(call + 1)} of ${number(walk.count)}`;
    const facts = tokens === null
      ? [walk.refusals[call]]
      : [`${number(tokens)} tokens, ${percent(tokens, calls.budget[call])} of the budget`, `${percent(calls.cached[call], tokens)} from the cache`, `${number(calls.full[call])} with nothing left out`];
    const model = walk.models[calls.model[call]];
    if (calls.cost[call] !== null) facts.push(`${dollars(calls.cost[call])}, ${dollars(calls.uncached[call])} without a cache`);
    this.facts.replaceChildren(facts.join(" · "), ...(model ? [" · ", make("bdi", null, model)] : []));
    this.back.disabled = call === 0;
    this.next.disabled = call === walk.count - 1;
    this.fitBack.disabled = !walk.fits.some((each) => each < call);
    this.fitNext.disabled = !walk.fits.some((each) => each > call);
    this.spoken.textContent = this.told(call).join(", ");
    this.tell(walk.reports[call]);
    this.compose();
    this.count();
    this.show();
    this.backToTop();
  }

  /* The head of a request is seen when another call is chosen, however far down one was in the last. */
  backToTop() {
    const line = document.querySelector(".line");
    const under = getComputedStyle(line).position === "sticky" ? line.offsetHeight : 0;
    const top = this.main.getBoundingClientRect().top - under;
    if (top < 0) scrollBy(0, top - 10);
  }

  tell(report) {
    this.report.hidden = !report;
    const wide = ["reason", "repaired", "ignored", "warnings"];
    this.report.replaceChildren(...(report || []).map(([name, value]) => make("div", { class: wide.includes(name) ? "wide" : null }, make("dt", null, name), make("dd", null, value))));
  }

  /* The request as a strip: each message as wide as it is long. */
  compose() {
    const shown = this.entries.filter((entry) => entry.sent);
    const used = shown.reduce((sum, entry) => sum + entry.sent, 0);
    const parts = shown.map((entry) => {
      const own = entry.kind === "gap" ? "marker" : entry.kind;
      const name = entry.kind === "message" ? `${this.walk.number(entry.place)} ${this.walk.messages[entry.place][1]}` : own;
      const element = make("i", { class: entry.fate, title: `${name}, ${counted(entry.sent, "token")}, ${entry.fate}`, on: { click: () => this.jump(entry) } });
      element.style.flexGrow = entry.sent;
      return element;
    });
    const free = make("i", { class: "free", title: "free, up to the budget" });
    free.style.flexGrow = Math.max(0, this.walk.calls.budget[this.call] - used);
    const { tokens, cached, budget } = this.walk.calls;
    this.strip.hidden = this.served.hidden = tokens[this.call] === null;
    this.served.firstChild.style.width = `${Math.min(100, (100 * cached[this.call]) / Math.max(budget[this.call], used))}%`;
    this.strip.replaceChildren(...parts, free);
  }

  count() {
    const counts = new Map();
    for (const entry of this.entries) counts.set(entry.fate, (counts.get(entry.fate) || 0) + (entry.places ? entry.places.length : 1));
    if (this.filter && !counts.has(this.filter)) this.filter = "";
    const chip = (name, words, count) => button("", () => {
      this.filter = this.filter === name ? "" : name;
      this.count();
      this.show();
    }, { class: `chip ${name}`, "aria-pressed": String(this.filter === name) });
    const chips = FATES.filter((fate) => counts.has(fate)).map((fate) => {
      const made = chip(fate);
      made.append(make("b", { class: "fate" }, SAID[fate] || fate), ` ${number(counts.get(fate))}`);
      return made;
    });
    this.chips.replaceChildren(...chips);
  }

  show() {
    const matches = (entry) => !this.wanted || this.found(entry) > 0;
    this.listed = this.entries.filter((entry) => (!this.filter || entry.fate === this.filter) && matches(entry));
    this.drawn = 0;
    this.list.replaceChildren();
    this.more();
    const all = this.wanted ? this.entries.reduce((sum, entry) => sum + this.found(entry), 0) : 0;
    const hidden = this.wanted ? this.entries.filter((entry) => entry.kind === "gap").reduce((sum, entry) => sum + this.found(entry), 0) : 0;
    this.hits.textContent = this.wanted ? `${counted(all, "message")} match${all === 1 ? "es" : ""}${hidden ? `, ${number(hidden)} of them not in this request` : ""}` : "";
  }

  found(entry) {
    const { walk, wanted } = this;
    const says = (text) => text.search(wanted) >= 0;
    if (entry.kind === "gap") return entry.places.filter((place) => says(walk.text(place))).length;
    if (entry.kind === "message") return Number(says(walk.text(entry.place)));
    if (entry.kind === "frame") return Number(walk.frames[entry.frame].some((at) => says(walk.texts[at])));
    return Number(says(spoken(walk.made[-1 - entry.ref][4])));
  }

  /* Draws on, a few cards at a time, until what is drawn reaches well below what is seen. */
  more() {
    this.draws(CHUNK);
    if (!this.near || this.growing || this.drawn >= this.listed.length) return;
    this.growing = requestAnimationFrame(() => {
      this.growing = 0;
      if (this.near) this.more();
    });
  }

  draws(count) {
    for (const entry of this.listed.slice(this.drawn, this.drawn + count)) {
      entry.card = card(this.walk, entry, this.wanted);
      this.list.append(entry.card);
    }
    this.drawn = Math.min(this.listed.length, this.drawn + count);
  }

  jump(entry) {
    if (!this.listed.includes(entry)) {
      this.filter = "";
      this.search.value = "";
      this.wanted = null;
      this.count();
      this.show();
    }
    while (!entry.card?.isConnected) this.draws(CHUNK);
    entry.card.scrollIntoView({ block: "center" });
    entry.card.classList.add("flash");
    setTimeout(() => entry.card.classList.remove("flash"), 1200);
  }

  soon() {
    clearTimeout(this.waits);
    this.waits = setTimeout(() => {
      const text = this.search.value.trim();
      this.wanted = text ? new RegExp(text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "gi") : null;
      this.show();
    }, 150);
  }

  keys() {
    const acts = {
      ArrowLeft: (event) => (event.shiftKey ? this.fit(-1) : this.choose(this.call - 1)),
      ArrowRight: (event) => (event.shiftKey ? this.fit(1) : this.choose(this.call + 1)),
      Home: () => this.choose(0),
      End: () => this.choose(this.walk.count - 1),
      "/": () => this.search.focus(),
      "?": () => this.help(),
      j: () => this.step(1),
      k: () => this.step(-1),
    };
    addEventListener("keydown", (event) => {
      if (event.target.matches?.("input")) {
        if (event.key === "Escape") {
          this.search.value = "";
          this.soon();
          this.search.blur();
        }
        return;
      }
      const act = acts[event.key];
      if (!act || event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      act(event);
    });
  }

  /* To the next card that is not simply kept. */
  step(way) {
    const others = this.listed.filter((entry) => entry.fate !== "kept" && entry.fate !== "frame");
    if (!others.length) return;
    const now = others.indexOf(this.stood);
    this.stood = others[(now + way + others.length) % others.length] ?? others[0];
    this.jump(this.stood);
  }

  help() {
    const rows = [["← →", "previous, next call"], ["shift ← →", "previous, next fit"], ["Home End", "first, last call"], ["j k", "next, previous message that is not simply kept"], ["/", "search"], ["Esc", "end the search"]];
    const lines = rows.map(([keys, words]) => make("tr", null, make("th", { scope: "row" }, make("kbd", null, keys)), make("td", null, words)));
    const dialog = make("dialog", { "aria-label": "Keys" }, make("table", null, make("tbody", null, ...lines)), make("p", null, button("close", () => dialog.close())));
    dialog.addEventListener("close", () => dialog.remove());
    document.body.append(dialog);
    dialog.showModal();
  }
}

const percent = (part, whole) => (whole ? `${((100 * part) / whole).toFixed(1)} %` : "–");
const dollars = (amount) => (amount >= 100 ? `$${number(Math.round(amount))}` : `$${Number(amount.toPrecision(3))}`);

unpacked().then((data) => new Page(new Walk(data)), (error) => {
  document.getElementById("request").textContent = `This page could not be unpacked: ${error.message}. A newer browser can.`;
});
