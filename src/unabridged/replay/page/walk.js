"use strict";
/* The data of the page: unpacked once, asked for one call at a time. */

async function unpacked() {
  const text = document.getElementById("data").textContent;
  const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
  return JSON.parse(await new Response(stream).text());
}

class Walk {
  constructor(data) {
    Object.assign(this, data);
    this.count = data.calls.tokens.length;
    const eventful = [...data.checkpoints.map((each) => each[0]), ...Object.keys(data.refusals).map(Number)];
    this.fits = [...new Set(eventful)].sort((a, b) => a - b);
    this.known = null;
  }

  /* What a call was sent: places of messages, or -1 minus the place of something made. Null where nothing fits. */
  view(call) {
    if (this.views[call] === null) return null;
    let view = [];
    for (let at = 0; at <= call; at++) {
      const change = this.views[at];
      if (change === null) continue;
      view.length = change[0];
      for (let place = 1; place < change.length; place++) view.push(change[place]);
    }
    return view;
  }

  /* What had been decided on each message by a call: the same chain as in the walk. */
  fates(call) {
    let upto = 0;
    while (upto < this.checkpoints.length && this.checkpoints[upto][0] <= call) upto++;
    if (this.known?.upto === upto) return this.known;
    let chain = [], fates = null;
    for (const made of this.checkpoints.slice(0, upto)) {
      if (made[1] === "") chain = [];
      else chain = made[2] ? [...chain, made] : [made];
      fates = this.decided(chain, fates);
    }
    this.known = fates || this.decided([], null);
    this.known.upto = upto;
    return this.known;
  }

  /* What a chain of checkpoints says; what stays hidden keeps the call since which it is. */
  decided(chain, before) {
    const fates = { verdict: [], reason: [], since: [], cuts: new Map() };
    for (const [at, , , runs, cuts] of chain) {
      for (const [first, last, verdict, reason] of runs) {
        for (let place = first; place <= last; place++) {
          fates.since[place] = before?.verdict[place] === verdict ? before.since[place] : at;
          fates.verdict[place] = verdict;
          fates.reason[place] = reason;
        }
      }
      for (const cut of cuts) {
        const rest = (fates.cuts.get(cut[0]) || []).filter((each) => each[1] !== cut[1]);
        fates.cuts.set(cut[0], [...rest, cut]);
      }
    }
    return fates;
  }

  /* Everything that the pane shows of a call, in order: the frame, messages, and what is not shown between them.
     `sent` is what it takes of the request: of a gap, the marker that stands there. */
  entries(call) {
    const view = this.view(call);
    const fates = this.fates(call);
    const length = this.calls.messages[call];
    if (view === null) return this.gaps(0, length, new Set(), fates);
    const visible = new Set(view.map((ref) => this.source(ref)));
    const entries = [];
    let at = 0, held = [], sum = 0;
    for (const ref of view) {
      const place = this.source(ref);
      sum += this.tokensOf(ref);
      if (place === null && this.made[-1 - ref][1] === "marker") {
        held.push(ref);
        continue;
      }
      if (place !== null && place >= at) {
        entries.push(...this.marked(this.gaps(at, place, visible, fates), held));
        held = [];
        at = place + 1;
      }
      entries.push(place === null ? this.own(ref, fates, length) : this.message(ref, place, fates));
    }
    entries.push(...this.marked(this.gaps(at, length, visible, fates), held));
    const frame = Math.max(0, this.calls.tokens[call] - sum);
    return [{ kind: "frame", fate: "frame", tokens: frame, sent: frame, frame: this.framed[call] }, ...entries];
  }

  source(ref) {
    return ref >= 0 ? ref : this.made[-1 - ref][0];
  }

  tokensOf(ref) {
    return ref >= 0 ? this.messages[ref][3] : this.made[-1 - ref][3];
  }

  message(ref, place, fates) {
    const cuts = fates.cuts.get(place) || [];
    const fate = ref >= 0 ? "kept" : cuts.length ? "truncated" : "repaired";
    const tokens = this.tokensOf(ref);
    return { kind: "message", fate, place, ref, tokens, sent: tokens, cuts, why: this.why(place, fates) };
  }

  own(ref, fates, length) {
    const [, kind, , tokens] = this.made[-1 - ref];
    const stands = kind === "summary" ? this.compacted(fates, length) : [];
    return { kind, fate: kind, ref, tokens, sent: tokens, stands };
  }

  compacted(fates, length) {
    const places = [];
    for (let place = 0; place < length; place++) if (fates.verdict[place] === "compact") places.push(place);
    return places;
  }

  /* Neighbours that are not shown and share a verdict, as one entry. */
  gaps(start, end, visible, fates) {
    const names = { drop: "dropped", compact: "compacted" };
    const found = [];
    for (let place = start; place < end; place++) {
      if (visible.has(place)) continue;
      const fate = names[fates.verdict[place]] || "out";
      const last = found[found.length - 1];
      if (last && last.fate === fate && last.places[last.places.length - 1] === place - 1) last.places.push(place);
      else found.push({ kind: "gap", fate, places: [place], marker: null, sent: 0 });
    }
    for (const gap of found) {
      gap.tokens = gap.places.reduce((sum, place) => sum + this.messages[place][3], 0);
      gap.reasons = [...new Set(gap.places.map((place) => this.why(place, fates)))];
      const since = gap.places.map((place) => fates.since[place]).filter((at) => at !== undefined);
      gap.since = [Math.min(...since), Math.max(...since)];
    }
    return found;
  }

  /* Gaps with the markers that stand there; a marker's id names the first message that it stands for. */
  marked(gaps, markers) {
    const alone = [];
    for (const marker of markers) {
      const id = this.made[-1 - marker][5];
      const gap = gaps.find((each) => each.marker === null && each.places.some((place) => id.endsWith(this.messages[place][0])));
      const sent = this.tokensOf(marker);
      if (gap) Object.assign(gap, { marker, sent });
      else alone.push({ kind: "marker", fate: "added", ref: marker, tokens: sent, sent, stands: [] });
    }
    return [...gaps, ...alone];
  }

  why(place, fates) {
    const reason = fates.reason[place];
    return reason === undefined ? "newer than the last fit" : this.reasons[reason];
  }

  number(place) {
    const last = this.messages[place][0].split("-").pop();
    return /^\d+$/.test(last) ? String(Number(last)) : String(place);
  }

  /* All text of a message, for searching. */
  text(place) {
    this.spoken ||= new Map();
    if (!this.spoken.has(place)) this.spoken.set(place, spoken(this.messages[place][4]));
    return this.spoken.get(place);
  }
}

function spoken(parts) {
  const texts = parts.map((part) => {
    if (part[0] === "c") return `${part[1]} ${part[3]}`;
    if (part[0] === "o") return spoken(part[3]);
    return part[0] === "x" ? part[2] : part[1];
  });
  return texts.join("\n");
}
