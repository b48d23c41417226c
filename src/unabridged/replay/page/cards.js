"use strict";
/* Cards: what one entry of a request looks like. Text only ever becomes text: nothing here writes markup. */

const MOST = 1400;
const LINES = 18;
const AROUND = 260;
const OWN = { frame: "frame", summary: "summary", marker: "marker", added: "added by a repair" };
const format = new Intl.NumberFormat("en");
const number = (count) => format.format(count);
const counted = (count, noun) => (count === 1 ? `1 ${noun}` : `${number(count)} ${noun}s`);

function make(name, given, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(given || {})) {
    if (key === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (value !== null && value !== undefined) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

function button(words, act, given) {
  return make("button", { type: "button", on: { click: act }, ...given }, words);
}

/* Pieces of a text with what is searched for marked. */
function pieces(text, wanted) {
  if (!wanted) return [text];
  const found = [];
  let at = 0;
  for (const match of text.matchAll(wanted)) {
    if (found.length > 400) break;
    found.push(text.slice(at, match.index), make("mark", null, match[0]));
    at = match.index + match[0].length;
  }
  return [...found, text.slice(at)];
}

/* A text of any length: long ones are cut for the eye, around what is searched for. */
function words(text, wanted) {
  const pre = make("pre", { dir: "auto" });
  const first = wanted ? text.search(wanted) : -1;
  const start = Math.max(0, first - AROUND);
  const end = start + most(text.slice(start, start + MOST));
  if (start === 0 && end >= text.length) {
    pre.append(...pieces(text, wanted));
    return pre;
  }
  pre.append(start ? "… " : "", ...pieces(text.slice(start, end), wanted), " …");
  const all = button(`show all ${number(text.length)} characters`, () => {
    pre.replaceChildren(...pieces(text, wanted));
    all.remove();
  }, { class: "more" });
  return make("div", null, pre, all);
}

/* How much of a text is shown at first: so many characters, and so many lines. */
function most(text) {
  const lines = [];
  for (let end = text.indexOf("\n"); end >= 0 && lines.length < LINES * 1.5; end = text.indexOf("\n", end + 1)) lines.push(end);
  return lines.length < LINES * 1.5 ? text.length : lines[LINES - 1];
}

/* One side of a text that was cut: the same at both ends, different in the middle. */
function side(head, middle, tail, name, wanted) {
  const both = (count) => `${number(count)} characters on both sides`;
  const more = (count) => `${number(count)} more characters`;
  const changed = make(name);
  const ends = name === "ins" ? middle.length : AROUND;
  changed.append(...parted(middle, [[0, ends], [middle.length - ends, middle.length]], more, wanted));
  const pre = make("pre", { dir: "auto" });
  pre.append(...parted(head, [[head.length - AROUND, head.length]], both, wanted), changed, ...parted(tail, [[0, AROUND]], both, wanted));
  return pre;
}

/* Only parts of a text, and what is searched for; the rest behind buttons that say how much it is. */
function parted(text, ranges, label, wanted) {
  const first = wanted ? text.search(wanted) : -1;
  if (first >= 0) ranges.push([first - AROUND / 2, first + AROUND / 2]);
  ranges.sort((one, other) => one[0] - other[0]);
  const out = [];
  let at = 0;
  for (const [start, end] of [...ranges, [text.length, text.length]]) {
    if (start - at > AROUND) {
      const hidden = text.slice(at, start);
      const fold = button(label(hidden.length), () => fold.replaceWith(...pieces(hidden, wanted)), { class: "fold" });
      out.push(fold);
      at = start;
    }
    out.push(...pieces(text.slice(at, Math.max(at, end)), wanted));
    at = Math.max(at, Math.min(end, text.length));
  }
  return out;
}

/* A part as it is stored. */
function part(data, wanted) {
  const [kind] = data;
  if (kind === "t") return make("div", { class: "said" }, words(data[1], wanted));
  if (kind === "r") {
    return make("div", { class: "thought" }, label("reasoning"), data[1] ? words(data[1], wanted) : label("(not shown by the provider)"));
  }
  if (kind === "c") return make("div", null, label("calls ", data[1], data[2]), words(pretty(data[3]), wanted));
  if (kind === "o") {
    const inner = data[3].map((piece) => part(piece, wanted));
    return make("div", { class: "result" }, label(data[2] ? "error of " : "result of ", "", data[1]), ...inner.map(unsaid));
  }
  if (kind === "m") return label(`(${data[1]})`);
  return make("div", null, label(`${data[1]}, as the provider wrote it`), words(data[2], wanted));
}

function unsaid(element) {
  element.classList.remove("said");
  return element;
}

function label(text, name, id) {
  return make("p", { class: "label" }, text, name ? make("b", null, name) : null, id ? ` ${id}` : null);
}

function pretty(json) {
  try {
    const value = JSON.parse(json);
    const entries = Object.entries(value);
    if (entries.length === 1 && typeof entries[0][1] === "string") return `${entries[0][0]}: ${entries[0][1]}`;
    return entries.map(([key, each]) => `${key}: ${typeof each === "string" ? each : JSON.stringify(each)}`).join("\n");
  } catch {
    return json;
  }
}

/* What was shown beside what is stored, part by part; what is the same stands once. */
function compared(shown, stored, wanted) {
  const out = [];
  const used = new Set();
  shown.forEach((data, at) => {
    const from = "=dp".includes(data[0]) ? data[1] : shown.length === stored.length ? at : null;
    for (let skipped = 0; from !== null && skipped < from; skipped++) {
      if (!used.has(skipped)) out.push(pair([part(stored[skipped], wanted)], [label("left out")]));
      used.add(skipped);
    }
    if (from !== null) used.add(from);
    out.push(...beside(data, from === null ? null : stored[from], wanted));
  });
  stored.forEach((data, at) => {
    if (!used.has(at)) out.push(pair([part(data, wanted)], [label("left out")]));
  });
  return out;
}

function beside(data, original, wanted) {
  if (data[0] === "=") return [part(original, wanted)];
  if (data[0] === "p") {
    return [label(original[2] ? "error of " : "result of ", "", original[1]), ...compared(data[2], original[3], wanted)];
  }
  if (data[0] !== "d") return [pair(original ? [part(original, wanted)] : [label("nothing")], [part(data, wanted)])];
  const text = original[0] === "c" ? original[3] : original[1];
  const [, , head, middle, tail] = data;
  const ends = [text.slice(0, head), text.slice(text.length - tail)];
  const left = side(ends[0], text.slice(head, text.length - tail), ends[1], "del", wanted);
  const right = side(ends[0], middle, ends[1], "ins", wanted);
  const above = original[0] === "c" ? [label("calls ", original[1], original[2])] : original[0] === "r" ? [label("reasoning")] : [];
  return [...above, pair([left], [right])];
}

function pair(stored, shown) {
  return make("div", { class: "pair" }, make("div", null, make("h3", null, "stored"), ...stored), make("div", null, make("h3", null, "shown"), ...shown));
}

/* The card of one entry. */
function card(walk, entry, wanted) {
  if (entry.kind === "gap") return gapCard(walk, entry, wanted);
  if (entry.kind === "frame") return frameCard(walk, entry, wanted);
  if (entry.kind === "message") return messageCard(walk, entry, wanted);
  const made = walk.made[-1 - entry.ref];
  const facts = [make("b", null, OWN[entry.kind]), made[5].replace(/^summary-/, "of ")];
  const stands = entry.stands.length
    ? make("p", { class: "why" }, `It stands for ${counted(entry.stands.length, "message")}: ${spans(walk, entry.stands)}.`)
    : null;
  return box(entry, facts, "", stands, ...made[4].map((data) => part(data, wanted)));
}

function messageCard(walk, entry, wanted) {
  const [id, role, origin, , parts] = walk.messages[entry.place];
  const facts = [make("b", { title: id }, `${walk.number(entry.place)} ${role}`), origin];
  if (entry.ref >= 0) return box(entry, facts, entry.why, ...parts.map((data) => part(data, wanted)));
  const cuts = entry.cuts.map(([, place, ranges, reason]) => make("p", { class: "why" }, `${place}: ${ranges} (${walk.names[reason]})`));
  const why = entry.fate === "repaired" ? "a repair changed it: the provider would refuse it" : entry.why;
  return box(entry, facts, why, ...cuts, ...compared(walk.made[-1 - entry.ref][4], parts, wanted));
}

function box(entry, facts, why, ...inside) {
  const header = make("header", null, ...facts.filter(Boolean), entry.kind in OWN ? null : make("span", { class: "fate" }, entry.fate), why, make("span", { class: "tokens" }, counted(entry.tokens, "token")));
  return make("article", { class: `card ${entry.fate}` }, header, ...inside);
}

function frameCard(walk, entry, wanted) {
  const texts = walk.frames[entry.frame].map((at) => walk.texts[at]);
  const inside = texts.map((text) => {
    const cut = text.indexOf("\n");
    const [name, value] = [text.slice(0, cut), text.slice(cut + 1)];
    return value.length < 80 && !value.includes("\n")
      ? label(`${name}: ${value}`)
      : make("div", null, label(name), words(value, wanted));
  });
  return box(entry, [make("b", null, OWN.frame), "system text, tools, parameters"], "", ...inside);
}

function gapCard(walk, entry, wanted) {
  const count = counted(entry.places.length, "message");
  const heads = {
    dropped: `${count} dropped: ${spans(walk, entry.places)}`,
    compacted: `${count} compacted: ${spans(walk, entry.places)}`,
    out: `${count} left out by a repair: ${spans(walk, entry.places)}`,
  };
  const [first, last] = entry.since.map((at) => number(at + 1));
  const since = entry.fate === "out" ? "" : first === last ? `at call ${first}` : `at calls ${first} to ${last}`;
  const facts = [make("b", null, heads[entry.fate])];
  const inside = entry.reasons.slice(0, 4).map((reason) => make("p", { class: "why" }, reason));
  if (entry.marker !== null) inside.push(label("the model sees instead"), part(walk.made[-1 - entry.marker][4][0], wanted));
  const element = make("article", { class: `card gap ${entry.fate}` },
    make("header", null, ...facts, make("span", null, entry.fate === "compacted" ? `they stand in the summary, ${since}` : since), make("span", { class: "tokens" }, counted(entry.tokens, "token"))),
    ...inside);
  const matching = wanted ? entry.places.filter((place) => walk.text(place).search(wanted) >= 0) : [];
  if (matching.length) unfold(walk, element, entry, matching, wanted);
  else element.append(button(`show what is stored`, (event) => {
    event.target.remove();
    unfold(walk, element, entry, entry.places, wanted);
  }, { class: "more" }));
  return element;
}

function unfold(walk, element, entry, places, wanted, start = 0) {
  for (const place of places.slice(start, start + 40)) {
    const [id, role, origin, tokens, parts] = walk.messages[place];
    const facts = [make("b", { title: id }, `${walk.number(place)} ${role}`), origin];
    element.append(box({ fate: entry.fate, tokens }, facts, "", ...parts.map((data) => part(data, wanted))));
  }
  const rest = places.length - start - 40;
  if (rest > 0) element.append(button(`show ${number(rest)} more`, (event) => {
    event.target.remove();
    unfold(walk, element, entry, places, wanted, start + 40);
  }, { class: "more" }));
}

/* Numbers of messages, neighbours together. */
function spans(walk, places) {
  const found = [];
  for (const place of places) {
    const last = found[found.length - 1];
    if (last && last[1] === place - 1) last[1] = place;
    else found.push([place, place]);
  }
  const named = found.slice(0, 8).map(([a, b]) => (a === b ? walk.number(a) : `${walk.number(a)}–${walk.number(b)}`));
  return named.join(", ") + (found.length > 8 ? ", …" : "");
}
