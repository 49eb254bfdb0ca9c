"use strict";
/* The page of `make view`: columns out of the JSON text, a timeline on a canvas, three lists that show the same place. */
(async () => {
const begun = performance.now();
const root = document.documentElement;
const $ = (id) => document.getElementById(id);
const make = (tag, kind, text) => { const e = document.createElement(tag); if (kind) e.className = kind; if (text !== undefined) e.textContent = text; return e; };
const many = (n, what) => `${whole(n)} ${what}${n === 1 ? "" : "s"}`;
const whole = (n) => Math.round(n).toLocaleString("en");

/* ---- data ---- */

function decoded(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}
async function column(packed) {
  const stream = new Blob([decoded(packed.z)]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const n = packed.n, signed = packed.t[0] === "i", size = +packed.t[1];
  if (!packed.d && size === 1) return signed ? new Int8Array(bytes.buffer) : bytes;
  const out = packed.d || signed ? new Int32Array(n) : new Uint32Array(n), high = bytes.subarray(n);
  let sum = 0;
  for (let i = 0; i < n; i++) {
    let v = bytes[i];
    if (size === 1) { if (signed) v = v << 24 >> 24; }
    else if (size === 2) { v |= high[i] << 8; if (signed) v = v << 16 >> 16; }
    else { v |= high[i] << 8 | bytes[2 * n + i] << 16 | bytes[3 * n + i] << 24; if (!signed) v >>>= 0; }
    out[i] = packed.d ? (sum += v) : v;
  }
  return out;
}
const D = JSON.parse($("data").textContent);
$("data").textContent = "";
if (typeof DecompressionStream === "undefined") {
  $("trouble").textContent = "This browser cannot decompress the data (DecompressionStream is missing); open the page in one of 2023 or later. The summary is below.";
  $("trouble").hidden = false;
  return;
}
const C = {};
await Promise.all([
  ...Object.entries(D.columns).map(async ([name, packed]) => { C[name] = await column(packed); }),
  ...Object.entries(D.wide).map(async ([name, [low, high]]) => { C[name] = [await column(low), await column(high)]; }),
]);
const tracks = await Promise.all(D.tracks.map(async ([name, kind, unit, at, [low, high]]) => {
  const places = await column(at), lows = await column(low), highs = await column(high);
  const value = Float64Array.from(lows, (v, i) => (highs[i] >>> 0) === 0xffffffff ? -1 : (highs[i] >>> 0) * 4294967296 + (v >>> 0));
  let most = 0; for (const v of value) if (v > most) most = v;
  return { name, kind, unit, at: places, value, most };
}));
/* Counters as rates: of the instructions between two places; IPC of a counter of all clock cycles. */
let rates = true;
const grows = (track) => track.kind === "counter" || track.kind === "sampled" || track.kind === "clock";
const tracksNow = () => rates && clock ? [clock, ...tracks] : tracks;
const wide = (pair, i) => BigInt(pair[1][i] >>> 0) << 32n | BigInt(pair[0][i] >>> 0);
const N = D.counts.instructions, M = D.counts.messages, B = D.counts.bytes;
const codePc = Array.from(C.codeSize, (_, i) => wide(C.codePc, i));
const symbolAt = D.symbols.map((_, i) => wide(C.symbolAddress, i));
const sizes = D.shapes.map(([, fields]) => fields.reduce((sum, [, form]) => sum + (form !== "text"), 0));
const valueAt = new Int32Array(M + 1);
for (let i = 0; i < M; i++) valueAt[i + 1] = valueAt[i] + sizes[C.shape[i]];
const eventCount = C.eventIndex.length, frameCount = C.frameBegin.length;
const depths = [0];  // where the frames of each depth begin
for (let i = 1; i < frameCount; i++) if (C.frameDepth[i] !== C.frameDepth[i - 1]) depths.push(i);
if (frameCount) depths.push(frameCount);

/* The last place in [low, high) whose entry is at most `value`, low - 1 if there is none. */
function last(array, value, low = 0, high = array.length) {
  let a = low - 1, b = high;
  while (b - a > 1) { const m = (a + b) >> 1; if (array[m] <= value) a = m; else b = m; }
  return a;
}
const messageOf = (insn) => last(C.first, insn);
const byteMessage = (byte) => last(C.offset, byte);
const reported = (k) => [C.first[k], k + 1 < M ? C.first[k + 1] : N];
const hex = (v) => "0x" + v.toString(16);
function symbolOf(address) {
  const i = last(symbolAt, address);
  if (i < 0 || address - symbolAt[i] > 0x100000n) return "";
  return D.symbols[i] + (address === symbolAt[i] ? "" : "+" + hex(address - symbolAt[i]));
}
const place = (row) => C.codeFunction[row] < 0 ? "" : symbolOf(codePc[row]);
const functionName = (f, begin) => f >= 0 ? D.symbols[f] : hex(codePc[C.rows[begin]]);
const bad = new Map(), badMessages = new Map();
D.findings.forEach((f, n) => {
  if (f.index >= 0 && !bad.has(f.index)) bad.set(f.index, n);
  if (f.message >= 0) badMessages.set(f.message, [...badMessages.get(f.message) || [], n]);
});
const lostBegin = D.losses.map((l) => l[0]);
const isLost = (byte) => { const i = last(lostBegin, byte); return i >= 0 && byte < D.losses[i][1]; };

function shownValue([, form, codes], value) {
  const symbol = (address) => { const s = symbolOf(address); return s ? ` <${s}>` : ""; };
  const meaning = codes && codes[value] ? ` (${codes[value]})` : "";
  if (form === "hex" || form === "bits") return hex(value) + meaning;
  if (form === "addr") return hex(value) + symbol(value);
  if (form === "half") return `${hex(value)} (${hex(value << 1n)}${symbol(value << 1n)})`;
  if (form === "quarter") return `${hex(value)} (${hex(value << 2n)}${symbol(value << 2n)})`;
  if (form === "signed") return String(BigInt.asIntN(64, value));
  if (form === "hist" && value) { const bits = value.toString(2).slice(1); return `${hex(value)} (${bits ? `${bits.length} branches: ${bits}` : "empty"})`; }
  return String(value) + meaning;
}
function fields(k) {
  const [, specs] = D.shapes[C.shape[k]];
  let at = valueAt[k];
  return specs.map((spec) => spec[1] === "text" ? [spec[0], spec[2]] : [spec[0], shownValue(spec, wide(C.values, at++))]);
}

/* ---- axis ---- */

/* A message carries the time at which it was made: once the instructions that it reports had retired. */
const timed = { index: [], value: [] };
for (let k = 0, seen = -1; k < M; k++) {
  if (C.time[1][k] >>> 0 === 0xffffffff) continue;
  const t = C.time[1][k] * 4294967296 + (C.time[0][k] >>> 0);
  if (t > seen) { timed.index.push(k + 1 < M ? C.first[k + 1] : N); timed.value.push(t); seen = t; }
}
const AXES = {};
if (N) AXES.insn = { name: "instructions", low: 0, high: N, of: (i) => i, back: (v) => v };
if (N && timed.index.length > 1 && timed.index[timed.index.length - 1] > timed.index[0]) {
  AXES.time = { name: "time", low: timed.value[0], high: timed.value[timed.value.length - 1], of: along(timed.index, timed.value), back: along(timed.value, timed.index) };
}
/* Cycles: of each instruction at the ingress port, else of the messages, once what they report had retired. */
const timeOf = C.insnCycle.length ? (i) => C.insnCycle[Math.min(Math.max(Math.floor(i), 0), N - 1)] : null;
if (N && timeOf && C.insnCycle[N - 1] > C.insnCycle[0]) {
  AXES.cycle = { name: "clock cycles", low: C.insnCycle[0], high: C.insnCycle[N - 1] + 1,
    of: (i) => { const k = Math.min(Math.max(Math.floor(i), 0), N - 1), next = k + 1 < N ? C.insnCycle[k + 1] : C.insnCycle[k] + 1; return C.insnCycle[k] + (next - C.insnCycle[k]) * Math.min(Math.max(i - k, 0), 1); },
    back: (v) => { const k = Math.max(last(C.insnCycle, v), 0), next = k + 1 < N ? C.insnCycle[k + 1] : C.insnCycle[k] + 1; return k + (next > C.insnCycle[k] ? Math.min(Math.max((v - C.insnCycle[k]) / (next - C.insnCycle[k]), 0), 1) : 0); } };
} else if (N && C.messageCycle.length) {
  const index = [], value = [];
  for (let k = 0, seen = -1; k < M; k++) if (C.messageCycle[k] > seen) { seen = C.messageCycle[k]; index.push(k + 1 < M ? C.first[k + 1] : N); value.push(seen); }
  if (index.length > 1 && index[index.length - 1] > index[0]) AXES.cycle = { name: "clock cycles", low: value[0], high: value[value.length - 1], of: along(index, value), back: along(value, index) };
}
if (B) {
  const from = [], to = [];
  for (let k = 0; k < M; k++) if (!k || C.first[k] !== from[from.length - 1]) { from.push(C.first[k]); to.push(C.offset[k]); }
  from.push(N); to.push(B);
  AXES.byte = { name: "bytes", low: 0, high: B, of: along(from, to), back: along(to, from) };
}
function along(from, to) {
  const end = from.length - 1;
  return (x) => {
    const i = last(from, x);
    if (i < 0) return to[0];
    if (i >= end) return to[end];
    return to[i] + (to[i + 1] - to[i]) * (x - from[i]) / (from[i + 1] - from[i]);
  };
}
/* Of a page without counters the clock cycles of the instructions give a lane as well. */
const clock = timeOf && AXES.cycle && !tracks.some(grows) ? { name: "clock cycles", kind: "clock", unit: "cycles", at: AXES.insn, value: [], most: 0 } : null;
function counted(track, i) {
  if (track.kind === "clock") return AXES.cycle.of(i);
  const k = last(track.at, i);
  if (k < 0) return 0;
  if (track.kind === "counter" || k + 1 >= track.at.length || track.at[k + 1] === track.at[k]) return track.value[k];
  return track.value[k] + (track.value[k + 1] - track.value[k]) * (i - track.at[k]) / (track.at[k + 1] - track.at[k]);
}
const LEAST = 32;  // instructions of a rate: of fewer it says little but whether something happened
const MOST_EACH = 64;  // events in an instruction; more is no event but a write of the counter
/* The rate in [from, to) of the instructions, NaN where the counter was written or does not say. */
function rate(track, from, to) {
  if (to - from < LEAST) { const middle = (from + to) / 2; from = middle - LEAST / 2; to = middle + LEAST / 2; }
  from = Math.max(Math.round(from), 0); to = Math.min(Math.round(to), N);  // a counter steps at whole instructions
  if (track.kind === "sampled" && (from < track.at[0] || to > track.at[track.at.length - 1])) return NaN;
  const grown = counted(track, to) - counted(track, from), each = to - from;
  if (!(each > 0) || grown < 0 || grown > each * MOST_EACH) return NaN;
  return track.unit === "cycles" ? grown ? each / grown : NaN : grown / each * 1000;
}
const rateName = (track) => track.unit === "cycles" ? `IPC (${track.name.replace(/ \(.*\)$/, "")})` : `${track.name} per 1,000 instructions`;
let axis = AXES.insn || AXES.byte || { name: "nothing", low: 0, high: 1, of: (i) => i, back: (v) => v };
const view = { a: axis.low, b: axis.high, down: 0 };
/* Where a message begins on the axis; which of them begins last before a value. */
const messageX = (k) => axis === AXES.byte ? C.offset[k] : axis.of(C.first[k]);
const messageBefore = (v) => axis === AXES.byte ? last(C.offset, v) : last(C.first, axis.back(v));

/* ---- timeline ---- */

const canvas = $("lanes"), pen = canvas.getContext("2d");
const frameColors = new Map();
function frameColor(k) {
  const key = C.frameFunction[k] * 4 + C.frameKind[k];
  let color = C.frameFunction[k] < 0 ? undefined : frameColors.get(key);
  if (!color) { color = tint(functionName(C.frameFunction[k], C.frameBegin[k]), C.frameKind[k] === 2 ? -12 : 0); frameColors.set(key, color); }
  return color;
}
const FRAME = 17, AXIS = 20, FOUND = 15, TRACK = tracks.length > 6 ? 17 : 26;
let W = 0, H = 0, ink = {}, lanes = [], queued = false, drawn = 0;
const hue = (text) => { let h = 0; for (let i = 0; i < text.length; i++) h = h * 31 + text.charCodeAt(i) | 0; return Math.imul(h, 2654435761) >>> 16 & 511; };  // similar names, different colors
const isDark = () => root.classList.contains("dark") || (!root.classList.contains("light") && matchMedia("(prefers-color-scheme: dark)").matches);
let dark = isDark();
const tints = new Map();
const tint = (text, light = 0) => {
  const key = text + light + dark;
  if (!tints.has(key)) tints.set(key, dark ? `hsl(${hue(text)} 42% ${30 - light}%)` : `hsl(${hue(text)} 62% ${80 + light}%)`);
  return tints.get(key);
};
let chosenHeight = 0;  // of the timeline, if it was dragged
/* As tall as what there is to draw, the lists below as tall as the window leaves. */
function layout() {
  const phone = matchMedia("(max-width: 900px)").matches;
  const wanted = AXIS + (D.findings.length ? FOUND : 0) + (D.priv.length ? 17 : 0) + (D.contexts.length > 1 ? 17 : 0) + (eventCount && N ? 16 : 0) + (M ? 43 : 0) + tracksNow().length * (TRACK + 3) + Math.max(depths.length - 1, 1) * FRAME + 12;
  canvas.style.height = chosenHeight && !phone ? chosenHeight + "px" : Math.max(130, Math.min(wanted, innerHeight * ((phone ? .44 : .42) + Math.min(tracksNow().length, 8) * .025))) + "px";
  const panes = document.querySelector(".panes");
  panes.style.height = Math.max(330, innerHeight - panes.getBoundingClientRect().top - scrollY - 44) + "px";
}
function resize() {
  layout();
  const box = canvas.getBoundingClientRect(), scale = devicePixelRatio || 1;
  W = Math.max(box.width, 1); H = Math.max(box.height, 1);
  canvas.width = Math.round(W * scale); canvas.height = Math.round(H * scale);
  pen.setTransform(scale, 0, 0, scale, 0, 0);
  const style = getComputedStyle(root);
  for (const name of ["ink", "soft", "line", "quiet", "accent", "cursor", "fail", "fail-bg", "warn", "card", "pick", "range"]) ink[name] = style.getPropertyValue("--" + name).trim();
  draw();
}
const X = (v) => (v - view.a) / (view.b - view.a) * W;
const XI = (i) => X(axis.of(i));
const at = (x) => view.a + x / W * (view.b - view.a);
function draw() { if (!queued) { queued = true; requestAnimationFrame(() => { queued = false; paint(); }); } }
const short = (v) => v >= 1e6 ? (v / 1e6).toLocaleString("en", { maximumFractionDigits: 3 }) + " M" : v.toLocaleString("en", { maximumFractionDigits: 2 });
const widths = new Map();
function widthOf(text) {
  let width = widths.get(text);
  if (width === undefined) { if (widths.size > 4096) widths.clear(); width = pen.measureText(text).width; widths.set(text, width); }
  return width;
}
/* The first of the texts that fits; the last of them shortened, if more than a few letters remain: "a…" says nothing. */
const FEW = 5;
function label(texts, x0, x1, y, h, color) {
  const left = Math.max(x0, 0) + 3, room = Math.min(x1, W) - left - 2;
  if (room < 8) return;
  let text = [texts].flat().find((one) => widthOf(one) <= room);
  if (text === undefined) {
    const longest = [texts].flat().at(-1), most = Math.floor(room / (widthOf(longest) / longest.length)) - 2;
    if (most < FEW) return;
    text = longest.slice(0, most) + "…";
  }
  pen.fillStyle = color || ink.ink;
  pen.fillText(text, left, y + h / 2 + .5);
}
/* The name of a lane, on the ground of the card so that it can be read over what is drawn. */
function caption(texts, y, right = false) {
  const text = texts.find((one) => widthOf(one) < W * .55) || texts.at(-1), room = widthOf(text) + 8, x = right ? W - room : 0;
  pen.globalAlpha = .85; pen.fillStyle = ink.card; pen.fillRect(x, y, room, 13); pen.globalAlpha = 1;
  pen.fillStyle = ink.soft; pen.fillText(text, x + 4, y + 7);
}
/* Draw intervals in order, those that share a pixel once. begin(k), end(k) are values of the axis, after(k, v) the first interval after k that begins at v or later. */
function intervals(k, stop, begin, end, after, color, name, y, h) {
  let from = -1, to = -1, same = "";  // pixels side by side of one color are one rectangle
  const flush = () => { if (to > from) { pen.fillStyle = same; pen.fillRect(from, y, to - from, h); } from = to = -1; };
  for (; k < stop;) {
    const x0 = X(begin(k));
    if (x0 > W) break;
    const x1 = X(end(k));
    if (x1 - x0 < 1) {
      const px = Math.floor(x0), its = color(k);
      if (px !== to || its !== same) { flush(); from = px; same = its; }
      to = px + 1;
      const next = after(k, at(px + 1));
      k = next > k ? next : k + 1;
      continue;
    }
    flush();
    if (x1 > 0) {
      pen.fillStyle = color(k); pen.fillRect(Math.max(x0, -2), y, Math.min(x1, W + 2) - Math.max(x0, -2) - (x1 - x0 > 4 ? 1 : 0), h);
      if (x1 - x0 > 18) label(name(k), x0, x1, y, h);
    }
    k++;
  }
  flush();
}
function hatch(x0, x1, y, h, color) {
  pen.save(); pen.beginPath(); pen.rect(x0, y, Math.max(x1 - x0, 2), h); pen.clip();
  pen.strokeStyle = color; pen.lineWidth = 1.5; pen.beginPath();
  const from = Math.max(x0, 0), to = Math.min(Math.max(x1, x0 + 2), W);
  for (let x = from - h - (from - h) % 7; x < to; x += 7) { pen.moveTo(x, y + h); pen.lineTo(x + h, y); }
  pen.stroke(); pen.restore();
}
const PRIVILEGES = { U: 140, S: 215, M: 5, VU: 170, VS: 260, D: 45 };
function bands(runs, y, name) {
  const starts = runs.map((r) => r[0]), from = Math.max(last(starts, axis.back(view.a)), 0);
  intervals(from, runs.length, (k) => axis.of(starts[k]), (k) => axis.of(k + 1 < runs.length ? starts[k + 1] : N),
    (k, v) => last(starts, axis.back(v)) + 1, (k) => PRIVILEGES[runs[k][1]] === undefined ? tint(name + runs[k][1]) : dark ? `hsl(${PRIVILEGES[runs[k][1]]} 45% 30%)` : `hsl(${PRIVILEGES[runs[k][1]]} 60% 82%)`, (k) => [`${name} ${runs[k][1]}`, runs[k][1]], y, 14);
}
function messageLane(y, h) {
  let k = Math.max(messageBefore(view.a), 0);
  const stop = Math.min(messageBefore(view.b) + 1, M);
  if (stop <= k) return;
  if (D.noun === "operation" && (stop - k) * 4 < W) {  // an access has a place, and no length
    for (let m = k, next; m < stop; m = next) {
      for (next = m + 1; next < stop && X(messageX(next)) - X(messageX(m)) < 1; next++);
      const x = X(messageX(m)), on = S.message >= m && S.message < next, edge = next < M ? X(messageX(next)) : W;
      pen.fillStyle = on ? ink.warn : tint(D.shapes[C.shape[m]][0], -12);
      pen.beginPath(); pen.moveTo(x, y + 4); pen.lineTo(x + 6, y + 10); pen.lineTo(x, y + 16); pen.lineTo(x - 6, y + 10); pen.fill(); pen.fillRect(x - .5, y + 10, 1, h - 10);
      const text = D.shapes[C.shape[m]][0] + (next - m > 1 ? ` and ${whole(next - m - 1)} more` : "");
      if (widthOf(text) < edge - x - 16) label(text, x + 6, edge, y + 3, 14);
    }
    return;
  }
  if ((stop - k) * 4 < W) {
    intervals(k, stop, messageX, (m) => m + 1 < M ? messageX(m + 1) : axis.high, (m, v) => messageBefore(v) + 1, (m) => tint(D.shapes[C.shape[m]][0]),
      (m) => B ? [`${D.shapes[C.shape[m]][0]} ${C.length[m]}`, D.shapes[C.shape[m]][0]] : D.shapes[C.shape[m]][0], y, h);
    return;
  }
  const bytes = new Float64Array(Math.ceil(W) + 1);
  const seen = [];
  for (let x = 0, from = k; x < W && from < M; x++) {
    const to = Math.min(Math.max(messageBefore(at(x + 1)) + 1, from), M);
    if (to > from) { bytes[x] = B ? (to < M ? C.offset[to] : B) - C.offset[from] : to - from; seen.push(bytes[x]); }
    from = to;
  }
  const most = seen.sort((a, b) => a - b)[Math.floor(seen.length * .99)] || 1;  // a loss would flatten the rest
  pen.fillStyle = ink.accent;
  for (let x = 0; x < W; x++) if (bytes[x]) { const tall = Math.max(1, h * Math.min(bytes[x] / most, 1)); pen.fillRect(x, y + h - tall, 1, tall); }
  caption([`${many(most, B ? "byte" : D.noun)} a pixel`], y, true);
}
/* A lane of its own: levels as steps (of those that share a pixel the least and the most), bars of bytes, or marks. */
function trackLane(track, y, h) {
  const { at: places, value } = track, from = Math.max(last(places, axis.back(view.a)), 0), stop = Math.min(last(places, axis.back(view.b)) + 2, places.length);
  if (rates && grows(track)) { rateLane(track, y, h); return; }
  const brief = track.name.replace(/ \(.*\)$/, ""), most = track.kind === "marks" ? "" : `, up to ${whole(track.most)}`;
  if (track.kind === "marks" && value[0] >= 0) caption([track.name, brief], y);
  pen.save(); pen.beginPath(); pen.rect(0, y, W, h); pen.clip();
  if (track.kind === "marks") {
    const middle = y + h / 2, half = Math.min(5, h / 2);
    for (let k = from; k < stop;) {
      const x = X(axis.of(places[k])), on = S.table === value[k] && value[k] >= 0;
      pen.fillStyle = on ? ink.warn : ink.accent; pen.beginPath(); pen.moveTo(x, middle - half); pen.lineTo(x + half, middle); pen.lineTo(x, middle + half); pen.lineTo(x - half, middle); pen.fill();
      const next = Math.max(k + 1, last(places, axis.back(at(x + 3))));
      if (value[k] < 0 && N) { const text = D.code.text[C.rows[Math.min(places[k], N - 1)]], edge = next < places.length ? X(axis.of(places[next])) : W; if (widthOf(text) < edge - x - 18) label(text, x + half, edge, y, h, ink.soft); }
      k = next;
    }
  } else {
    const scale = (v) => y + h - 1 - Math.max(v, 0) / (track.most || 1) * (h - 3);
    let filled = 0;  // pixels up to here are drawn
    pen.fillStyle = ink.accent; pen.globalAlpha = track.kind === "bars" ? .9 : .55;
    for (let k = from; k < stop;) {
      const x0 = Math.max(X(axis.of(places[k])), 0), px = Math.floor(x0);
      let next = k + 1, top = value[k];
      if (track.kind === "bars") {
        next = Math.max(Math.min(last(places, axis.back(at(px + 1))) + 1, stop), k + 1);
        for (let j = k + 1; j < Math.min(next, k + 4096); j++) top = Math.max(top, value[j]);
        pen.fillRect(px, scale(top), 1.5, y + h - scale(top));
      } else {
        next = Math.max(Math.min(last(places, axis.back(at(px + 1))), stop - 1), k + 1);
        for (let j = k + 1; j < Math.min(next, k + 4096); j++) top = Math.max(top, value[j]);
        const x1 = next < places.length ? X(axis.of(places[next])) : W, begin = Math.max(px, filled);
        filled = Math.max(Math.min(Math.floor(x1), Math.ceil(W)), begin + 1);
        pen.fillRect(begin, scale(top), filled - begin, y + h - scale(top));
      }
      k = next;
    }
    pen.globalAlpha = 1;
  }
  pen.restore();
  if (track.kind === "marks" && value[0] < 0) caption([track.name], y);
  if (track.kind !== "marks") caption([track.name + most, brief + most, brief], y);
}
const BAR = 3;  // pixels of a rate
function rateLane(track, y, h) {
  const values = [];
  let most = 0;
  for (let x = 0, from = axis.back(at(0)); x < W; x += BAR) {
    const to = axis.back(at(x + BAR)), value = rate(track, from, to);
    values.push(value); if (value > most) most = value;
    from = to;
  }
  pen.fillStyle = ink.accent; pen.globalAlpha = .55;
  values.forEach((value, n) => { if (value > 0) { const tall = Math.max(value / most * (h - 2), 1); pen.fillRect(n * BAR, y + h - tall, BAR, tall); } });
  pen.globalAlpha = 1;
  const name = rateName(track), tail = most ? `, up to ${most.toLocaleString("en", { maximumSignificantDigits: 3 })}` : "";
  caption([name + tail, name.replace(/ \([^)]*\)/, "") + tail, name.replace(/ \(.*\)| per .*$/g, "") + tail, name.replace(/ \(.*\)| per .*$/g, "")], y);
}
const passed = () => Math.min(Math.floor(view.down), tracksNow().length);  // tracks that were moved out of sight
const trackAt = (y) => { const lane = lanes.find(([name, top, h]) => name.startsWith("track") && y >= top && y < top + h); return lane ? tracksNow()[+lane[0].slice(5)] : null; };
/* The mark under the pointer, -1 if there is none. */
function placeOfMark(track, x) {
  let best = -1, near = 9;
  for (const k of [last(track.at, axis.back(at(x))), last(track.at, axis.back(at(x))) + 1, last(track.at, axis.back(at(x + 8)))]) if (k >= 0 && k < track.at.length && Math.abs(X(axis.of(track.at[k])) - x) < near) { best = k; near = Math.abs(X(axis.of(track.at[k])) - x); }
  return best;
}
function markAt(x, y) {
  const track = trackAt(y);
  return track && track.kind === "marks" ? [track, placeOfMark(track, x)] : [null, -1];
}
function selectTable(n) {
  const track = tracks.find((t) => t.kind === "marks" && t.value.includes(n));
  if (track && N) selectInsn(track.at[track.value.indexOf(n)]);
  S.table = n; detail(); draw();
}
const LOUD = new Set(["trap", "error", "gap", "reset"]);
const loud = D.events[0].map((kind) => LOUD.has(kind));
const loudEvents = [], quietEvents = [];
for (let k = 0; k < eventCount; k++) (loud[C.eventKind[k]] ? loudEvents : quietEvents).push(k);
const eventPlaces = [quietEvents, loudEvents].map((these) => Int32Array.from(these, (k) => C.eventIndex[k]));
function eventLane(y) { eventPass(y, quietEvents, eventPlaces[0]); eventPass(y, loudEvents, eventPlaces[1]); }
function eventPass(y, these, places) {
  let n = Math.max(last(places, axis.back(view.a)), 0);
  while (n < these.length) {
    const k = these[n], x = X(axis.of(places[n]));
    if (x > W) break;
    if (x >= -6) {
      const kind = D.events[0][C.eventKind[k]];
      pen.fillStyle = kind === "trap" ? ink.warn : kind === "error" || kind === "gap" ? ink.fail : ink.soft;
      pen.beginPath(); pen.moveTo(x - 4, y + 2); pen.lineTo(x + 4, y + 2); pen.lineTo(x, y + 11); pen.fill();
      const next = k + 1 < eventCount ? XI(C.eventIndex[k + 1]) : Infinity;
      const text = `${kind} ${D.events[1][C.eventText[k]]}`.trim();
      if (widthOf(text) < Math.min(next - 4, x + 240, W) - x - 9) label(text, x + 4, x + 240, y, 13, ink.soft);
    }
    n = Math.max(n + 1, last(places, axis.back(at(Math.floor(x) + 2))));
  }
}
const causeAt = () => D.findings.map((f, n) => [f, n]).filter(([f]) => f.message >= 0);
function shades() {
  const low = AXIS, tall = H - AXIS;
  for (const [first, after] of D.unjudged) {
    const x0 = X(messageX(first)), x1 = after < M ? X(messageX(after)) : X(axis.high);
    if (x1 >= 0 && x0 <= W) hatch(Math.max(x0, 0), Math.min(x1, W), low, tall, dark ? "rgb(255 255 255 / 13%)" : "rgb(0 0 0 / 13%)");
  }
  for (const [begin, end, index] of D.losses) {
    const x0 = axis === AXES.byte ? X(begin) : XI(index), x1 = axis === AXES.byte ? X(end) : x0;
    if (x1 >= 0 && x0 <= W) { pen.globalAlpha = .55; pen.fillStyle = ink["fail-bg"]; pen.fillRect(x0 - 1, low, Math.max(x1 - x0, 3), tall); pen.globalAlpha = 1; }
  }
  const found = causeAt();
  for (const [f] of found.filter(([one]) => one.cause)) {  // from its cause on
    const first = found.find(([one]) => !one.cause && one.clause === f.cause && one.message <= f.message);
    const x1 = X(messageX(f.message)) + 2, x0 = first ? X(messageX(first[0].message)) : x1 - 4;
    if (x1 >= -1 && x0 <= W) { pen.globalAlpha = .5; pen.fillStyle = ink.quiet; pen.fillRect(Math.max(x0, 0), low, Math.min(x1, W) - Math.max(x0, 0), tall); pen.globalAlpha = 1; pen.fillRect(x1 - 4, low, 4, tall); }
  }
}
function flags() {
  let taken = -1;
  for (const [f] of causeAt()) {
    const x = X(messageX(f.message));
    if (x < -1 || x > W) continue;
    pen.fillStyle = f.cause ? ink.soft : ink.fail;
    if (!f.cause) pen.fillRect(x - .5, AXIS, 1, H - AXIS);
    pen.fillRect(x - 2, AXIS, 5, FOUND - 3);
    const room = widthOf(f.clause) + 12, left = x + room > W;  // at the right end the name is before its flag
    if (!f.cause && (left ? x - room : x) > taken) { label(f.clause, left ? x - room : x + 4, left ? x : x + room, AXIS, FOUND - 2, ink.fail); taken = left ? x : x + room; }
  }
}
function paint() {
  const start = performance.now();
  pen.fillStyle = ink.card; pen.fillRect(0, 0, W, H);
  pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "middle"; pen.textAlign = "left";
  shades();
  ruler();
  let y = AXIS + (D.findings.length ? FOUND : 0);
  lanes = [];
  const lane = (name, h, run) => { lanes.push([name, y, h]); run(y, h); y += h + 3; };
  if (D.priv.length) lane("priv", 14, () => bands(D.priv, y, "privilege"));
  if (D.contexts.length > 1) lane("context", 14, () => bands(D.contexts, y, "context"));
  if (eventCount && N) lane("events", 13, eventLane);
  if (M) lane("messages", 40, messageLane);
  tracksNow().forEach((track, n) => n >= passed() && lane("track" + n, TRACK, () => trackLane(track, y, TRACK)));
  lanes.push(["frames", y, H - y]);
  pen.save(); pen.beginPath(); pen.rect(0, y, W, H - y); pen.clip();
  const left = axis.back(view.a);
  for (let d = 0; d + 1 < depths.length; d++) {
    const top = y + (d - view.down + passed()) * FRAME;
    if (top + FRAME < y || top > H) continue;
    const low = depths[d], high = depths[d + 1];
    intervals(Math.max(last(C.frameBegin, left, low, high), low), high, (k) => axis.of(C.frameBegin[k]), (k) => axis.of(C.frameBegin[k] + C.frameLength[k]),
      (k, v) => { const j = last(C.frameBegin, axis.back(v), k, high); return C.frameBegin[j] + C.frameLength[j] > axis.back(v) ? j : j + 1; },
      frameColor,
      (k) => (C.frameKind[k] === 2 ? "⚡ " : "") + functionName(C.frameFunction[k], C.frameBegin[k]), top, FRAME - 1);
  }
  pen.restore();
  flags();
  selection();
  drawCursors();
  drawn = performance.now() - start;
}
function ruler() {
  const span = view.b - view.a, rough = span / Math.max(W / 110, 1), power = 10 ** Math.floor(Math.log10(rough || 1));
  const round = axis === AXES.byte ? 2 ** Math.ceil(Math.log2(rough || 1)) : [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough) || 1;
  const step = axis === AXES.time ? round : Math.max(round, 1);
  for (let v = Math.ceil(view.a / step) * step, taken = 0; v <= view.b; v += step) {
    const x = X(v), text = axis === AXES.byte ? hex(v) : short(v), wide = widthOf(text);
    const left = x + 4 + wide > W ? x - 4 - wide : x + 4;  // the last one before its line
    pen.fillStyle = ink.line; pen.fillRect(x, 0, 1, H);
    if (left < taken) continue;
    pen.fillStyle = ink.soft; pen.fillText(text, left, AXIS / 2);
    taken = left + wide + 4;
  }
}
function selection() {
  if (S.message >= 0) {
    const [i, j] = reported(S.message), byte = axis === AXES.byte;
    const x0 = byte ? X(C.offset[S.message]) : XI(i), x1 = byte ? X(C.offset[S.message] + C.length[S.message]) : XI(j);
    pen.globalAlpha = .25; pen.fillStyle = ink.accent; pen.fillRect(x0, AXIS, Math.max(x1 - x0, 1), H - AXIS); pen.globalAlpha = 1;
  }
  if (S.insn >= 0) { pen.fillStyle = ink.accent; pen.fillRect(XI(S.insn) - 1, 0, 2, H); }
}
/* ---- two cursors that measure: at instructions, of a page without any at bytes ---- */

const cursors = { a: -1, b: -1 };
const ground = N ? AXES.insn : AXES.byte || axis;
let moved = "a";  // the cursor that moved last
const cursorX = (name) => X(N ? axis.of(cursors[name]) : cursors[name]);
const indexAt = (x) => Math.round(N ? axis.back(at(x)) : at(x));
const cursorNear = (x, most) => ["a", "b"].filter((name) => cursors[name] >= 0 && Math.abs(cursorX(name) - x) <= most).sort((p, q) => Math.abs(cursorX(p) - x) - Math.abs(cursorX(q) - x))[0];
function setCursor(name, index) {
  cursors[name] = Math.min(Math.max(index, ground.low), ground.high); moved = name;
  measured();
}
function noCursors() { cursors.a = cursors.b = -1; measured(); }
/* What is between the cursors: as many of each unit as are known. */
function span() {
  if (cursors.a < 0 || cursors.b < 0) return null;
  const [from, to] = [Math.min(cursors.a, cursors.b), Math.max(cursors.a, cursors.b)], found = { from, to };
  if (N) {
    found.instructions = to - from;
    for (const name of ["cycle", "time"]) if (AXES[name]) found[name] = AXES[name].of(to) - AXES[name].of(from);
  }
  const first = N ? Math.max(messageOf(from - 1) + 1, 0) : Math.max(last(C.offset, from - 1) + 1, 0), stop = N ? messageOf(to - 1) + 1 : last(C.offset, to - 1) + 1;
  found.first = first; found.stop = Math.max(stop, first); found.messages = found.stop - first;
  if (B) { found.begin = N ? first < M ? C.offset[first] : B : from; found.end = N ? found.stop < M ? C.offset[found.stop] : B : to; if (!found.messages && N) found.end = found.begin; found.bytes = found.end - found.begin; }
  return found;
}
function measured() {
  const box = $("measured"), set = ["a", "b"].filter((name) => cursors[name] >= 0), was = box.hidden;
  box.hidden = !set.length;
  $("measure").setAttribute("aria-pressed", String(set.length > 0));
  box.replaceChildren();
  for (const name of set) box.append(make("b", "", name.toUpperCase()), ` ${whole(cursors[name])}  `);
  const found = span();
  if (found) {
    const said = [];
    if (N) said.push(many(found.instructions, "instruction"));
    if (found.cycle !== undefined) said.push(many(found.cycle, "cycle") + (found.cycle > 0 ? ` (IPC ${(found.instructions / found.cycle).toFixed(3)})` : ""));
    if (found.time !== undefined) said.push(`time ${short(found.time)}`);
    said.push(many(found.messages, D.noun));
    if (B) said.push(many(found.bytes, "byte") + (N && found.instructions ? ` (${(8 * found.bytes / found.instructions).toFixed(3)} bits per instruction)` : ""));
    box.append(make("b", "", "B − A"), ` ${cursors.b < cursors.a ? "backwards " : ""}${said.join("  ·  ")} `);
    const button = (name, title, run) => { const b = make("button", "", name); b.title = title; b.addEventListener("click", run); box.append(b); };
    if (N) button("CSV", "save the instructions from A to B", () => save(`${partName(found)}.csv`, instructionsCsv(found)));
    if (M) button(N ? `CSV of ${D.noun}s` : "CSV", `save the ${D.noun}s from A to B, with their fields`, () => save(`${partName(found)}-${D.noun}s.csv`, messagesCsv(found)));
    const part = B && found.messages ? partOf(found) : null;
    if (part) button("Bytes and rerun", `save the bytes of the trace from A to B, from the last ${D.noun} on at which a decoder can begin, and show the command that checks them`, () => {
      save(part.name, C.data.slice(part.begin, part.end));
      if (D.again[0] && !box.querySelector("code")) { box.append(make("code", "", D.again[0].replace(D.again[1], part.name))); resize(); measure(); }
    });
  } else if (set.length) box.append(`set ${set[0] === "a" ? "B" : "A"} with its key or Shift click`);
  if (was !== box.hidden && W) { resize(); measure(); } else draw();
}
/* ---- what is between the cursors, as files ---- */

const MOST_ROWS = 1e6;  // that a spreadsheet opens
const partName = (found) => `${D.title.replace(/[^\w.-]+/g, "_")}-${found.from}-${found.to}`;
function partOf(found) {
  const first = Math.max(C.starts[Math.max(last(C.starts, found.first), 0)], 0), begin = C.offset[first] || 0;
  return { begin: first ? begin : 0, end: found.end, name: `${D.title.replace(/[^\w.-]+/g, "_")}-${hex(first ? begin : 0)}-${hex(found.end)}.bin` };
}
/* A cell: quoted where it must be, and text that a spreadsheet would take for a formula is text. */
function cell(value) {
  const text = typeof value === "string" && /^[=+\-@\t]/.test(value) ? `'${value}` : String(value);
  return /[",\n\r]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}
function csv(head, count, row) {
  const pieces = [head.join(",") + "\n"];
  for (let n = 0; n < Math.min(count, MOST_ROWS); n++) pieces.push(row(n).map(cell).join(",") + "\n");
  if (count > MOST_ROWS) pieces.push(cell(`${count - MOST_ROWS} more rows are left out; move the cursors`) + "\n");
  return pieces;
}
function instructionsCsv({ from, to }) {
  return csv(["instruction", "pc", "text", "symbol", "source", "event", "cycle", D.noun, "byte"], to - from, (n) => {
    const i = from + n, row = C.rows[i], line = D.code.lines[D.code.line[row]], k = messageOf(i), events = [];
    for (let e = last(C.eventIndex, i - 1) + 1; e < eventCount && C.eventIndex[e] === i; e++) events.push(`${D.events[0][C.eventKind[e]]} ${D.events[1][C.eventText[e]]}`.trim());
    return [i, hex(codePc[row]), D.code.text[row], place(row), line ? `${line[0]}:${line[1]}` : "", events.join("; "), timeOf ? timeOf(i) : "", k < 0 ? "" : k, k < 0 || !B ? "" : C.offset[k]];
  });
}
function messagesCsv({ first, messages }) {
  return csv([D.noun, "byte", "bytes", "name", "first instruction", "instructions", "time", "cycle", "fields"], messages, (n) => {
    const k = first + n, [a, b] = reported(k), time = C.time[1][k] >>> 0 === 0xffffffff ? "" : wide(C.time, k);
    return [k, B ? C.offset[k] : "", B ? C.length[k] : "", D.shapes[C.shape[k]][0], a, b - a, time, C.messageCycle.length ? C.messageCycle[k] : "", fields(k).map(([name, value]) => `${name}=${value}`).join(" ")];
  });
}
function save(name, parts) {
  const link = make("a");
  link.href = URL.createObjectURL(new Blob([parts].flat(), { type: "application/octet-stream" }));
  link.download = name; link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60000);
}
function drawCursors() {
  const set = ["a", "b"].filter((name) => cursors[name] >= 0);
  if (set.length === 2) { const [x0, x1] = [cursorX("a"), cursorX("b")].sort((p, q) => p - q); pen.globalAlpha = .1; pen.fillStyle = ink.cursor; pen.fillRect(x0, 0, x1 - x0, H); pen.globalAlpha = 1; }
  for (const name of set) {
    const x = cursorX(name);
    if (x < -1 || x > W + 1) continue;
    pen.fillStyle = ink.cursor; pen.fillRect(x - .75, 0, 1.5, H);
    const left = Math.min(Math.max(x - 8, 0), W - 16);
    pen.fillRect(left, 0, 16, 15); pen.fillStyle = ink.card; pen.fillText(name.toUpperCase(), left + 4.5, 8);
  }
}
const middleIndex = () => Math.round(N ? axis.back((view.a + view.b) / 2) : (view.a + view.b) / 2);
const chosen = () => N ? (S.insn >= 0 ? S.insn : middleIndex()) : S.byte >= 0 ? S.byte : middleIndex();
function measureShown() {
  if (cursors.a >= 0 || cursors.b >= 0) { noCursors(); return; }
  setCursor("a", indexAt(W / 3)); setCursor("b", indexAt(2 * W / 3));
}
function keep() {
  const all = axis.high - axis.low || 1, least = Math.min(all, axis === AXES.time ? all / 1e7 : 8);
  let span = Math.min(Math.max(view.b - view.a, least), all);
  const middle = (view.a + view.b) / 2;
  view.a = Math.min(Math.max(middle - span / 2, axis.low), axis.high - span);
  view.b = view.a + span;
  view.down = Math.min(Math.max(view.down, 0), Math.max(depths.length - 3, 0) + tracksNow().length);
  draw();
}
function zoom(by, x = W / 2) { const v = at(x); view.a = v - (v - view.a) * by; view.b = v + (view.b - v) * by; keep(); }
function move(by) { view.a += by; view.b += by; keep(); }
function fit(from, to) { const more = (to - from) * .15; view.a = from - more; view.b = to + more; keep(); }
function reveal(v) { if (v < view.a || v > view.b) { const half = (view.b - view.a) / 2; view.a = v - half; view.b = v + half; keep(); } else draw(); }
function frameAt(x, y) {
  const [, top] = lanes.find(([name]) => name === "frames") || [0, H], d = Math.floor((y - top) / FRAME + view.down - passed());
  if (y < top || d < 0 || d + 1 >= depths.length) return -1;
  const i = axis.back(at(x)), k = last(C.frameBegin, i, depths[d], depths[d + 1]);
  return k >= depths[d] && i < C.frameBegin[k] + C.frameLength[k] ? k : -1;
}
function about(x, y) {
  const said = [], i = Math.floor(axis.back(at(x)));
  if (N && i >= 0 && i < N) said.push(`instruction ${whole(i)}  ${hex(codePc[C.rows[i]])} <${place(C.rows[i])}>`);
  const frame = frameAt(x, y);
  if (frame >= 0) said.push(`${C.frameKind[frame] === 2 ? "trap handler " : ""}${functionName(C.frameFunction[frame], C.frameBegin[frame])}: ${many(C.frameLength[frame], "instruction")}, depth ${C.frameDepth[frame]}`);
  const k = messageBefore(at(x));
  const track = trackAt(y), j = track && track.kind !== "clock" ? last(track.at, axis.back(at(x))) : -1;
  const mark = track && track.kind === "marks" ? placeOfMark(track, x) : -1;
  if (track && rates && grows(track)) {
    const value = rate(track, axis.back(at(x - BAR / 2)), axis.back(at(x + BAR / 2)));
    said.unshift(`${rateName(track)}: ${Number.isNaN(value) ? "not known here" : value.toLocaleString("en", { maximumSignificantDigits: 4 })}`);
  }
  if (mark >= 0 && track.value[mark] < 0) said.unshift(`${track.name}: ${D.code.text[C.rows[Math.min(track.at[mark], N - 1)]]}`);
  else if (j >= 0) said.unshift(track.kind === "marks" ? track.name : `${track.name}: ${whole(track.value[j])}${track.unit ? " " + track.unit : ""}`);
  if (timeOf && N && i >= 0 && i < N) said.push(`cycle ${whole(timeOf(i))}`);
  if (k >= 0 && k < M) said.push(`${D.noun} ${whole(k)} ${D.shapes[C.shape[k]][0]}` + (B ? `, byte ${hex(C.offset[k])}, ${many(C.length[k], "byte")}` : ""));
  return said.join("  ·  ");
}

/* ---- lists ---- */

const TALLEST = 8e6;  // pixels that a browser scrolls exactly
class List {
  constructor(section, count, fill, pick) {
    this.box = section.querySelector(".list"); this.count = count; this.fill = fill; this.pick = pick; this.top = 0;
    this.space = make("div", "space"); this.rows = make("div", "rows"); this.space.append(this.rows); this.box.append(this.space);
    this.box.addEventListener("scroll", () => {
      if (this.quiet) { this.quiet = false; return; }
      this.top = this.scaled ? this.box.scrollTop / Math.max(this.tall - this.box.clientHeight, 1) * Math.max(this.count - this.visible, 0) : this.box.scrollTop / this.height;
      this.render();
    });
    this.box.addEventListener("wheel", (e) => {
      if (!this.scaled || e.ctrlKey) return;
      e.preventDefault(); this.go(this.top + e.deltaY * (e.deltaMode ? 20 : 1) / this.height);
    }, { passive: false });
    this.box.addEventListener("click", (e) => {
      const row = e.target.closest(".row");
      if (row) this.pick(+row.dataset.n, e.target);
    });
  }
  measure() {
    this.height = matchMedia("(max-width: 900px)").matches ? 26 : 20;
    this.tall = Math.min(this.count * this.height, TALLEST); this.scaled = this.count * this.height > TALLEST;
    this.space.style.height = this.tall + "px"; this.visible = this.box.clientHeight / this.height;
    this.go(this.top);
  }
  go(top) {
    this.top = Math.min(Math.max(top, 0), Math.max(this.count - this.visible, 0));
    const to = this.scaled ? this.top / Math.max(this.count - this.visible, 1) * (this.tall - this.box.clientHeight) : this.top * this.height;
    if (Math.abs(this.box.scrollTop - to) >= 1) { this.quiet = true; this.box.scrollTop = to; }
    this.render();
  }
  show(n) {
    if (n < this.top + 1 || n > this.top + this.visible - 2) this.go(n - this.visible / 3); else this.render();
  }
  render() {
    const from = Math.floor(this.top), to = Math.min(Math.ceil(this.top + this.visible) + 1, this.count), made = [];
    for (let n = from; n < to; n++) {
      const row = make("div", "row");
      row.setAttribute("role", "option"); row.dataset.n = n; row.style.transform = `translateY(${(n - this.top) * this.height}px)`;
      this.fill(n, row); made.push(row);
    }
    this.rows.replaceChildren(...made);
  }
}
const S = { insn: -1, message: -1, byte: -1, finding: -1, table: -1 };
let PER = 16;
const lists = {};
lists.bytes = new List($("bytes"), 0, (n, row) => {
  row.append(make("span", "at", (n * PER).toString(16).padStart(6, "0")));
  for (let i = n * PER; i < Math.min(B, (n + 1) * PER); i++) {
    const cell = make("i", "", C.data[i].toString(16).padStart(2, "0")), k = byteMessage(i);
    cell.dataset.b = i;
    if (k >= 0 && i < C.offset[k] + C.length[k]) {
      cell.style.background = tint(D.shapes[C.shape[k]][0], k & 1 ? 6 : 0);
      if (k === S.message) cell.classList.add("on");
      if (badMessages.has(k)) cell.classList.add("bad");
    }
    if (isLost(i)) row.classList.add("lost");
    row.append(cell);
  }
}, (n, target) => { const b = target.dataset.b === undefined ? n * PER : +target.dataset.b; selectMessage(Math.max(byteMessage(b), 0), b); });
const judged = (k) => !D.unjudged.some(([a, b]) => k >= a && k < b);
lists.messages = new List($("messages"), M, (k, row) => {
  if (k === S.message) row.setAttribute("aria-selected", "true");
  if (badMessages.has(k)) row.classList.add("bad");
  if (!judged(k) || isLost(C.offset[k])) row.classList.add("lost");
  const name = make("span", "nm", D.shapes[C.shape[k]][0]);
  if (B) row.append(make("span", "at", C.offset[k].toString(16).padStart(6, "0")), make("span", "sz", C.length[k]));
  else if (C.messageCycle.length) row.append(make("span", "at", String(C.messageCycle[k]).padStart(String(C.messageCycle[M - 1]).length)));
  row.append(name,
    make("span", "end", fields(k).map(([f, v]) => `${f}=${v}`).join(" ")));
}, (k) => selectMessage(k));
lists.code = new List($("code"), N, (i, row) => {
  const code = C.rows[i], line = D.code.line[code];
  if (i === S.insn) row.setAttribute("aria-selected", "true");
  if (S.message >= 0) { const [a, b] = reported(S.message); if (i >= a && i < b) row.classList.add("range"); }
  if (bad.has(i)) row.classList.add("bad");
  row.append(make("span", "at", codePc[code].toString(16)));
  let first = last(C.eventIndex, i - 1) + 1;
  if (first < eventCount && C.eventIndex[first] === i) {
    for (let k = first; k < eventCount && C.eventIndex[k] === i; k++) if (loud[C.eventKind[k]]) { first = k; break; }
    const said = `${D.events[0][C.eventKind[first]]} ${D.events[1][C.eventText[first]]}`.trim(), e = make("span", "ev", said.replace(/ at 0x.*$/, ""));
    e.title = said; row.append(e);
  }
  row.append(make("span", "end", D.code.text[code]), make("span", "sym", place(code)));
  if (line >= 0) { const [file, number, text] = D.code.lines[line], src = make("span", "src", `${file.split("/").pop()}:${number}`); src.title = `${file}:${number} ${text}`; row.append(src); }
}, (i) => selectInsn(i));

/* The source file of what is selected. A line's number of runs is that of the instruction of it that ran most. */
const source = { file: "", text: [], at: new Map(), runs: null };
function runsOfLines() {
  const each = new Float64Array(D.code.text.length), runs = new Float64Array(D.code.lines.length);
  for (let i = 0; i < N; i++) each[C.rows[i]]++;
  D.code.line.forEach((line, code) => { if (line >= 0 && each[code] > runs[line]) runs[line] = each[code]; });
  return runs;
}
function showFile(file) {
  const box = $("source").querySelector(".list");
  if (source.file === file) return;
  source.file = file; source.text = D.code.files[file] || []; source.at = new Map();
  D.code.lines.forEach(([name, number], line) => { if (name === file) source.at.set(number, line); });
  source.runs = source.runs || runsOfLines();
  $("source").querySelector("h2").textContent = file.split("/").pop(); $("source").querySelector("h2").title = file;
  box.querySelector(".empty")?.remove();
  if (!source.text.length) box.append(make("p", "empty", `The text of ${file} is not in this page: only files below a folder that is named are read. Make the page again with --source ${file.replace(/\/[^/]*$/, "")}`));
  lists.source.count = source.text.length; lists.source.measure();
}
function lineOf(i) { return i >= 0 ? D.code.line[C.rows[i]] : -1; }
/* The next instruction of a line, after the selected one; from the start again. */
function nextOfLine(line) {
  for (let n = 1; n <= N; n++) { const i = (Math.max(S.insn, -1) + n) % N; if (D.code.line[C.rows[i]] === line) return i; }
  return -1;
}
lists.source = new List($("source"), 0, (n, row) => {
  const line = source.at.get(n + 1), now = lineOf(S.insn);
  if (line === undefined) row.classList.add("none");
  if (now >= 0 && now === line) row.setAttribute("aria-selected", "true");
  row.append(make("span", "at", String(n + 1)), make("span", "sz", line === undefined ? "" : whole(source.runs[line])), make("span", "end", source.text[n]));
  if (line !== undefined) row.title = `${source.text[n].trim()}\nran ${whole(source.runs[line])} times; a click selects its next instruction`;
}, (n) => { const line = source.at.get(n + 1); if (line !== undefined) selectInsn(nextOfLine(line)); });

/* ---- selection: one place, shown everywhere ---- */

function selectInsn(i, message) {
  if (!N) return;
  S.table = -1;
  S.insn = Math.min(Math.max(Math.round(i), 0), N - 1);
  S.message = message === undefined ? Math.min(Math.max(messageOf(S.insn), M ? 0 : -1), M - 1) : message;
  S.byte = S.message >= 0 ? C.offset[S.message] : -1;
  shown();
}
function selectMessage(k, byte) {
  if (!M) return;
  S.table = -1;
  S.message = Math.min(Math.max(k, 0), M - 1);
  S.byte = byte === undefined ? C.offset[S.message] : byte;
  S.insn = N ? Math.min(C.first[S.message], N - 1) : -1;
  shown();
}
function selectFinding(n) {
  const f = D.findings[n];
  S.finding = n;
  if (f.message >= 0) { selectMessage(f.message); if (f.index >= 0) selectInsn(f.index, f.message); } else { detail(); marks(); }
}
function clear() { S.insn = S.message = S.byte = S.finding = S.table = -1; shown(); }
function shown() {
  if (S.finding >= 0 && D.findings[S.finding].message !== S.message) S.finding = -1;
  detail(); lists.messages.visible = lists.messages.box.clientHeight / lists.messages.height;
  if (S.byte >= 0) lists.bytes.show(Math.floor(S.byte / PER)); else lists.bytes.render();
  if (S.message >= 0) lists.messages.show(S.message); else lists.messages.render();
  if (S.insn >= 0) lists.code.show(S.insn); else lists.code.render();
  const line = lineOf(S.insn);
  if (line >= 0) { showFile(D.code.lines[line][0]); lists.source.show(D.code.lines[line][1] - 1); } else if (source.file) lists.source.render();
  marks(); say();
  if (S.insn >= 0 && axis !== AXES.byte) reveal(axis.of(S.insn)); else if (S.message >= 0) reveal(messageX(S.message)); else draw();
  try { history.replaceState(null, "", S.insn >= 0 ? `#i=${S.insn}` : S.message >= 0 ? `#m=${S.message}` : "#"); } catch { /* some browsers refuse it to a page from a file */ }
}
function say() {
  const said = [];
  if (S.insn >= 0) {
    const row = C.rows[S.insn], line = D.code.lines[D.code.line[row]];
    said.push(`instruction ${whole(S.insn)}  ${hex(codePc[row])} <${place(row)}>  ${D.code.text[row]}`);
    if (line) said.push(`${line[0].split("/").pop()}:${line[1]} ${line[2].trim()}`);
  }
  if (S.message >= 0) { const [a, b] = reported(S.message); said.push(`${D.noun} ${whole(S.message)}${B ? ` at byte ${hex(C.offset[S.message])}` : ""}: ${many(b - a, "instruction")}`); }
  $("status").textContent = said.join("  ·  ") || `${many(N, "instruction")}, ${many(M, D.noun)}` + (B ? `, ${many(B, "byte")}` : "");
}
function detail() {
  const box = $("detail");
  box.replaceChildren();
  if (S.table >= 0) { const [title, head, rows] = D.tables[S.table]; const t = table(head, rows); t.className = "unbroken"; box.append(make("h3", "", title), t); return; }
  const mine = S.message >= 0 ? badMessages.get(S.message) || [] : S.finding >= 0 ? [S.finding] : [];
  for (const n of mine) {
    const f = D.findings[n], blame = make("div", f.cause ? "blame after" : "blame"), head = make("p");
    head.append(make("b", "", f.clause), " " + f.headline); blame.append(head);
    if (f.requirement) blame.append(make("p", "", f.requirement));
    if (f.cause) blame.append(make("p", "", `Follows from ${f.cause}.`));
    const facts = [["cycle", f.cycle === null ? "" : whole(f.cycle)], ["byte", f.message >= 0 && B ? `${hex(f.begin)} to ${hex(f.end - 1)}` : ""], ["instruction", (f.index >= 0 ? `${whole(f.index)}  ` : "") + f.pc]].filter(([, what]) => what);
    if (facts.length) { const list = table(null, facts); list.className = "facts"; blame.append(list); }
    if (f.table.length) blame.append(table(["field", "expected", "actual"], f.table, (r) => r[1] && r[1] !== r[2]));
    if (D.hart) blame.append(...beside(D.hart.findings[n]));
    for (const [what, command] of commands(f)) { const p = make("p", "run"); p.append(make("span", "", what), make("code", "", command)); blame.append(p); }
    box.append(blame);
  }
  if (S.message < 0) return;
  const k = S.message, title = D.shapes[C.shape[k]][0] + (B ? `, ${many(C.length[k], "byte")} at ${hex(C.offset[k])}` : "");
  const rows = fields(k), [a, b] = reported(k);
  if (C.time[1][k] >>> 0 !== 0xffffffff) rows.push(["(time)", String(wide(C.time, k))]);
  if (C.messageCycle.length && C.messageCycle[k] >= 0) rows.push([B ? "(left in cycle)" : "(cycle)", whole(C.messageCycle[k])]);
  if (N) rows.push(["(reports)", b > a ? `${many(b - a, "instruction")} from ${hex(codePc[C.rows[a]])} <${place(C.rows[a])}>` : "no instruction"]);
  const loss = D.losses.find(([x, y]) => C.offset[k] >= x && C.offset[k] < y);
  if (loss) rows.push(["(lost)", `${loss[4]} ${loss[3] && `[${loss[3]}]`}`]);
  if (!judged(k)) rows.push(["(check)", "NOT JUDGED: what was found before hides it"]);
  box.append(make("h3", "", title), table(null, rows));
  const lost = D.hart ? D.losses.findIndex(([x, y]) => C.offset[k] >= x && C.offset[k] <= y) : -1;  // in a loss, or the first after it
  if (lost >= 0 && !mine.some((n) => D.hart.findings[n] === D.hart.losses[lost])) box.append(...beside(D.hart.losses[lost]));
}
/* An excerpt: what the hart did beside what the trace says. A click on the trace's side selects the instruction. */
function beside(number) {
  if (number < 0) return [];
  const t = make("table", "beside"), head = make("tr"), text = (i) => `${codePc[C.rows[i]].toString(16)} ${D.code.text[C.rows[i]]}`;
  head.append(make("th", "", "the hart did"), make("th", "", "the trace says")); t.append(head);
  const line = (kind, did, told, at) => {
    const tr = make("tr", kind), cells = [make("td", "", did), make("td", "", told)];
    tr.append(...cells); t.append(tr);
    if (at >= 0) { cells[1].tabIndex = 0; cells[1].addEventListener("click", () => selectInsn(at)); cells[1].addEventListener("keydown", (e) => { if (e.key === "Enter") { e.stopPropagation(); selectInsn(at); } }); }
    return cells;
  };
  for (const [h, code, trap, i, told, left] of D.hart.excerpts[number]) {
    if (left) { const [cell, rest] = line("left", `… ${many(left, "more line")} …`, "", -1); cell.colSpan = 2; rest.remove(); continue; }
    if (trap || told) line(trap && told ? "event" : "event differs", trap && `⚡ ${trap}`, told && `⚡ ${told}`, -1);
    const did = code < 0 ? "" : D.hart.code[code][0], said = i < 0 ? "" : text(i);
    const [a, b] = line(did.split(" ")[0] === said.split(" ")[0] ? "" : "differs", did, said, i);
    if (h >= 0) a.title = `instruction ${whole(h)} of the hart  ${D.hart.code[code][1]}`;
    if (i >= 0) b.title = `instruction ${whole(i)} of the trace  ${place(C.rows[i])}`;
  }
  return D.hart.excerpts[number].length ? [t] : [];
}
/* What repeats the run of a finding, and what opens its waveform. */
function commands(f) {
  const found = [], when = f.cycle === null ? "" : `, cycle ${whole(f.cycle)}`;
  for (const [name, command] of D.waves.open) found.push([`waveform in ${name}${D.waves.marker ? `, marker at ${D.waves.marker}` : ""}${when}`, command]);
  if (!f.rerun) return found;
  found.push(["again", f.rerun]);
  if (!D.waves.open.length && / run | core /.test(f.rerun) && !f.rerun.includes("WAVES=")) found.push([`with a waveform${when}`, `${f.rerun} WAVES=1`]);
  return found;
}
function table(head, rows, differs) {
  const t = make("table");
  if (head) { const tr = make("tr"); head.forEach((h) => tr.append(make("th", "", h))); t.append(tr); }
  for (const r of rows) { const tr = make("tr", differs && differs(r) ? "differs" : ""); r.forEach((c) => tr.append(make("td", "", c))); t.append(tr); }
  return t;
}
function marks() {
  [...$("findings").children].forEach((b, n) => {
    b.setAttribute("aria-current", S.finding === n || (S.message >= 0 && D.findings[n].message === S.message) ? "true" : "false");
  });
  const bar = $("findings"), own = bar.querySelector("[aria-current=true]");
  if (own && (own.offsetTop < bar.scrollTop || own.offsetTop + own.offsetHeight > bar.scrollTop + bar.clientHeight)) bar.scrollTop = own.offsetTop - 8;
}
D.findings.forEach((f, n) => {
  const where = f.message < 0 ? "(no place)" : B ? `at ${hex(f.begin)}` : `at ${D.noun} ${whole(f.message)}`;
  const b = make("button", f.cause ? "after" : "", `${f.clause} ${where}`);
  b.title = f.headline; b.addEventListener("click", () => selectFinding(n)); $("findings").append(b);
});

if (!N) $("code").querySelector(".list").append(make("p", "empty", "No instruction: none could be decoded, or no program was given. The summary says what is missing."));
if (!M) $("messages").querySelector(".list").append(make("p", "empty", `No ${D.noun} was found in these bytes.`));

/* ---- search ---- */

const MOST = 1 << 20;
let found = { kind: "", hits: [], text: "", name: "" };
function collect(test, count) { const hits = []; for (let i = 0; i < count && hits.length < MOST; i++) if (test(i)) hits.push(i); return hits; }
function search(text) {
  const low = text.toLowerCase(), same = (kind, hits, name) => ({ kind, hits, text, name });
  let m;
  if ((m = /^#([\d,]+)$/.exec(text))) return same("insn", N ? [Math.min(+m[1].replace(/,/g, ""), N - 1)] : [], "instruction");
  if ((m = /^@(0x[\da-f]+|\d+)$/i.exec(text))) return same("byte", B ? [Math.min(Number(m[1]), B - 1)] : [], "byte");
  if ((m = /^cycle\s*([\d,]+)$/.exec(low))) {
    const wanted = +m[1].replace(/,/g, "");
    if (C.messageCycle.length) { const k = C.messageCycle.findIndex((c) => c >= wanted); return same("message", k < 0 ? [] : [k], `${D.noun}: the first from cycle ${whole(wanted)} on`); }
    return same("insn", AXES.cycle ? [Math.min(Math.floor(AXES.cycle.back(wanted)), N - 1)] : [], AXES.cycle ? "instruction" : "no cycles are known");
  }
  if (/^0x[\da-f]+$/.test(low)) {
    const wanted = BigInt(low), rows = new Uint8Array(codePc.length);
    codePc.forEach((pc, r) => { if (pc <= wanted && wanted < pc + BigInt(C.codeSize[r])) rows[r] = 1; });
    return same("insn", collect((i) => rows[C.rows[i]], N), hex(wanted));
  }
  const clauses = collect((n) => D.findings[n].clause.toLowerCase().includes(low), D.findings.length);
  if (clauses.length) return same("finding", clauses, "finding");
  const shapes = D.shapes.map(([name]) => name.toLowerCase()), named = (test) => shapes.some(test);
  const exactShape = named((s) => s === low);
  const symbols = D.symbols.map((s) => s.toLowerCase());
  const fitting = symbols.includes(low) ? (s) => s === low : (s) => s.includes(low);
  if (!exactShape && symbols.some(fitting)) {
    const wanted = new Set(collect((f) => fitting(symbols[f]), symbols.length));
    let hits = collect((k) => wanted.has(C.frameFunction[k]), frameCount).map((k) => C.frameBegin[k]);
    let name = wanted.size === 1 ? D.symbols[[...wanted][0]] : `${wanted.size} symbols`;
    if (!hits.length) { hits = collect((i) => wanted.has(C.codeFunction[C.rows[i]]) && (!i || !wanted.has(C.codeFunction[C.rows[i - 1]])), N); }
    if (hits.length || !named((s) => s.includes(low))) return same("insn", Int32Array.from(hits).sort(), `calls of ${name}`);
  }
  if (named((s) => s.includes(low))) {
    const fit = shapes.map((s) => exactShape ? s === low : s.includes(low));
    return same("message", collect((k) => fit[C.shape[k]], M), `${D.noun}s`);
  }
  const rows = D.code.text.map((t) => t.toLowerCase().includes(low));
  if (rows.some(Boolean)) return same("insn", collect((i) => rows[C.rows[i]], N), "instructions with this text");
  return same("", [], "");
}
function hit(step) {
  const text = $("search").value.trim();
  if (!text) { $("hits").textContent = ""; found = { kind: "", hits: [], text: "", name: "" }; return; }
  const fresh = found.text !== text;
  if (fresh) found = search(text);
  if (!found.hits.length) { $("hits").textContent = "nothing found"; return; }
  const here = found.kind === "message" ? S.message : found.kind === "byte" ? S.byte : found.kind === "finding" ? S.finding : S.insn;
  let k = last(found.hits, here);
  if (fresh && found.hits[k] === here) k--;
  k = step > 0 ? k + 1 : found.hits[k] === here ? k - 1 : k;
  k = (k + found.hits.length) % found.hits.length;
  const n = found.hits[k];
  if (found.kind === "message") selectMessage(n); else if (found.kind === "finding") selectFinding(n); else if (found.kind === "byte") selectMessage(Math.max(byteMessage(n), 0), n); else selectInsn(n);
  $("hits").textContent = `${whole(k + 1)} of ${whole(found.hits.length)}${found.hits.length === MOST ? "+" : ""} ${found.name}`;
}
$("search").addEventListener("keydown", (e) => {
  if (e.key === "Enter") { e.preventDefault(); hit(e.shiftKey ? -1 : 1); } else if (e.key === "Escape") { e.target.blur(); canvas.focus(); }
  e.stopPropagation();
});
$("search").addEventListener("search", () => { if (!$("search").value) hit(1); });
$("before").addEventListener("click", () => hit(-1));
$("after").addEventListener("click", () => hit(1));

/* ---- pointer and keys ---- */

const fingers = new Map();
let dragged = 0, held = "";  // pixels since the pointer is down; the cursor that it moves
canvas.addEventListener("pointerdown", (e) => { canvas.setPointerCapture(e.pointerId); fingers.set(e.pointerId, [e.offsetX, e.offsetY]); if (fingers.size === 1) { dragged = 0; held = cursorNear(e.offsetX, e.pointerType === "mouse" ? 5 : 14) || ""; } });
canvas.addEventListener("pointermove", (e) => {
  const old = fingers.get(e.pointerId);
  if (!old) { $("status").textContent = about(e.offsetX, e.offsetY); return; }
  if (fingers.size === 1 && held) setCursor(held, indexAt(e.offsetX));
  else if (fingers.size === 1) {
    move((old[0] - e.offsetX) / W * (view.b - view.a));
    view.down += (old[1] - e.offsetY) / FRAME; keep();
  } else {
    const [other] = [...fingers].filter(([id]) => id !== e.pointerId).map(([, p]) => p);
    const before = Math.abs(old[0] - other[0]), now = Math.abs(e.offsetX - other[0]);
    if (before > 8 && now > 8) zoom(before / now, other[0]);
  }
  dragged += Math.abs(old[0] - e.offsetX) + Math.abs(old[1] - e.offsetY);
  fingers.set(e.pointerId, [e.offsetX, e.offsetY]);
});
const lift = (e) => {
  const was = fingers.delete(e.pointerId);
  if (e.type === "pointerup" && was && e.shiftKey && dragged < 5) {
    const name = cursors.a < 0 ? "a" : cursors.b < 0 ? "b" : cursorNear(e.offsetX, Infinity);
    setCursor(name, indexAt(e.offsetX));
  } else if (e.type === "pointerup" && was && !(held && dragged) && !fingers.size && dragged < 5) {
    const [track, mark] = markAt(e.offsetX, e.offsetY);
    const flag = causeAt().find(([f]) => e.offsetY < AXIS + FOUND && Math.abs(X(messageX(f.message)) - e.offsetX) < 5);
    const lane = lanes.find(([, y, h]) => e.offsetY >= y && e.offsetY < y + h);
    if (mark >= 0 && track.value[mark] >= 0) selectTable(track.value[mark]);
    else if (mark >= 0) selectInsn(track.at[mark]);
    else if (flag) selectFinding(flag[1]);
    else if (!N || axis === AXES.byte || (lane && lane[0] === "messages")) selectMessage(messageBefore(at(e.offsetX)));
    else selectInsn(Math.floor(axis.back(at(e.offsetX))));
  }
};
canvas.addEventListener("pointerup", lift);
canvas.addEventListener("pointercancel", lift);
canvas.addEventListener("pointerleave", () => { if (!fingers.size) say(); });
canvas.addEventListener("dblclick", (e) => { const k = frameAt(e.offsetX, e.offsetY); if (k >= 0) fit(axis.of(C.frameBegin[k]), axis.of(C.frameBegin[k] + C.frameLength[k])); });
canvas.addEventListener("wheel", (e) => {
  e.preventDefault();
  const step = e.deltaY * (e.deltaMode ? 20 : 1);
  if (e.shiftKey || Math.abs(e.deltaX) > Math.abs(e.deltaY)) move((e.deltaX || step) / W * (view.b - view.a)); else zoom(1.0016 ** step, e.offsetX);
}, { passive: false });
const KEYS = {
  "+": () => zoom(.5), "=": () => zoom(.5), "-": () => zoom(2), "0": () => { view.a = axis.low; view.b = axis.high; view.down = 0; keep(); },
  "/": () => { $("search").focus(); $("search").select(); }, n: () => hit(1), N: () => hit(-1), "?": () => $("keys").showModal(), t: flip,
  "[": () => selectMessage(S.message - 1), "]": () => selectMessage(S.message + 1), Escape: clear,
  r: () => asRates(!rates), f: () => nextFinding(1), F: () => nextFinding(-1), z: zoomHere,
  ArrowLeft: (e) => e.shiftKey && cursors[moved] >= 0 ? setCursor(moved, cursors[moved] - 1) : move(-(view.b - view.a) / 8),
  ArrowRight: (e) => e.shiftKey && cursors[moved] >= 0 ? setCursor(moved, cursors[moved] + 1) : move((view.b - view.a) / 8),
  a: () => setCursor("a", chosen()), b: () => setCursor("b", chosen()), c: noCursors,
};
function nextFinding(step) { const n = D.findings.length; if (n) selectFinding(S.finding < 0 ? (step > 0 ? 0 : n - 1) : (S.finding + step + n) % n); }
function zoomHere() { if (S.message >= 0 && N) { const [a, b] = reported(S.message); fit(axis.of(a), axis.of(Math.max(b, a + 8))); } else if (S.message >= 0) fit(C.offset[S.message], C.offset[S.message] + C.length[S.message]); }
document.addEventListener("keydown", (e) => {
  if (e.ctrlKey || e.metaKey || e.altKey || $("keys").open || e.target.tagName === "SELECT") return;
  const section = e.target.closest && e.target.closest("section"), steps = { ArrowUp: -1, ArrowDown: 1, PageUp: -20, PageDown: 20 };
  if (e.key in steps && e.target.classList.contains("list")) {
    const by = steps[e.key];
    if (section.id === "code") selectInsn(S.insn + by); else if (section.id === "source") lists.source.go(lists.source.top + by); else if (section.id === "messages") selectMessage(S.message + by); else { const b = Math.min(Math.max(S.byte + by * PER, 0), B - 1); selectMessage(Math.max(byteMessage(b), 0), b); }
  } else if (e.key === "Enter" && e.target === canvas) { if (N) selectInsn(Math.floor(axis.back((view.a + view.b) / 2))); else selectMessage(messageBefore((view.a + view.b) / 2)); }
  else if (e.target === canvas && e.key === "ArrowDown") { view.down++; keep(); } else if (e.target === canvas && e.key === "ArrowUp") { view.down--; keep(); }
  else if (KEYS[e.key] && !(e.target.id === "detail" && e.key.startsWith("Arrow"))) KEYS[e.key](e);
  else return;
  e.preventDefault();
});
function flip() { root.classList.toggle("light", isDark()); root.classList.toggle("dark", !root.classList.contains("light")); recolor(); try { localStorage.setItem("rvtrace-theme", root.classList.contains("dark") ? "dark" : "light"); } catch { /* a page from a file may have no storage */ } }
function recolor() { dark = isDark(); frameColors.clear(); resize(); Object.values(lists).forEach((l) => l.render()); }
$("theme").addEventListener("click", flip);
function asRates(on) { if (!tracks.some(grows)) return; rates = on; $("rates").value = on ? "rate" : "count"; resize(); measure(); }
$("counted").hidden = !tracks.some(grows);
$("rates").addEventListener("change", (e) => asRates(e.target.value === "rate"));
$("measure").addEventListener("click", measureShown);
$("help").addEventListener("click", () => $("keys").showModal());
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", recolor);
for (const [key, one] of Object.entries(AXES)) { const o = make("option", "", one.name); o.value = key; $("axis").append(o); }
$("axis").addEventListener("change", (e) => {
  const now = AXES[e.target.value], a = axis.back(view.a), b = axis.back(view.b), all = view.a <= axis.low && view.b >= axis.high;
  axis = now; view.a = all ? now.low : now.of(a); view.b = all ? now.high : now.of(b); keep();
});
document.querySelectorAll(".tabs button").forEach((b) => b.addEventListener("click", () => {
  document.querySelectorAll(".tabs button").forEach((o) => o.setAttribute("aria-selected", String(o === b)));
  document.querySelectorAll(".panes section").forEach((s) => s.classList.toggle("shown", s.id === b.dataset.pane));
  measure();
  shown();
}));
function measure() {
  PER = innerWidth <= 900 && innerWidth < 460 ? 8 : innerWidth > 900 && $("bytes").clientWidth < 360 ? 8 : 16;
  lists.bytes.count = Math.ceil(B / PER);
  Object.values(lists).forEach((l) => l.measure());
}

/* ---- panes that resize: by a drag, by arrow keys, and back by a double click ---- */

const STEP = 24;  // pixels of an arrow key
function splitter(bar, across, begin, to, reset) {
  let from = 0;
  const place = (e) => across ? e.clientY : e.clientX;
  const done = () => { resize(); measure(); };
  bar.addEventListener("pointerdown", (e) => { bar.setPointerCapture(e.pointerId); from = place(e); begin(); e.preventDefault(); });
  bar.addEventListener("pointermove", (e) => { if (bar.hasPointerCapture(e.pointerId)) { to(place(e) - from); done(); } });
  bar.addEventListener("dblclick", () => { reset(); done(); });
  bar.addEventListener("keydown", (e) => {
    const by = { [across ? "ArrowUp" : "ArrowLeft"]: -STEP, [across ? "ArrowDown" : "ArrowRight"]: STEP }[e.key];
    if (by) { begin(); to(by); done(); e.preventDefault(); e.stopPropagation(); }
  });
}
const sections = () => [...document.querySelectorAll(".panes section")].filter((one) => !one.hidden);
document.querySelectorAll(".panes > .split").forEach((bar) => {
  let sides = [], widths = [];
  splitter(bar, false, () => {
    const all = sections(), after = all.findIndex((one) => bar.compareDocumentPosition(one) & Node.DOCUMENT_POSITION_FOLLOWING);
    document.querySelector(".panes").classList.add("sized");
    all.map((one) => [one, one.offsetWidth]).forEach(([one, width]) => { one.style.flexGrow = width; });
    sides = [all[after - 1], all[after]]; widths = sides.map((one) => one.offsetWidth);
  }, (by) => {
    const moved = Math.min(Math.max(by, 90 - widths[0]), widths[1] - 90);
    sides[0].style.flexGrow = widths[0] + moved; sides[1].style.flexGrow = widths[1] - moved;
  }, () => { document.querySelector(".panes").classList.remove("sized"); sections().forEach((one) => { one.style.flexGrow = ""; }); });
});
{
  let tall = 0;
  splitter($("taller"), true, () => { tall = canvas.offsetHeight; }, (by) => { chosenHeight = Math.min(Math.max(tall + by, 90), innerHeight * .85); }, () => { chosenHeight = 0; });
  splitter($("fields"), true, () => { tall = $("detail").offsetHeight; }, (by) => {
    const most = $("messages").clientHeight - 90;
    $("detail").style.maxHeight = "none"; $("detail").style.height = Math.min(Math.max(tall - by, 40), most) + "px";
  }, () => { $("detail").style.maxHeight = $("detail").style.height = ""; });
}

/* ---- tables of the summary: a click on a column sorts by it, again the other way ---- */

document.querySelectorAll("table.sortable").forEach((table) => {
  const heads = [...table.tHead.rows[0].cells], body = table.tBodies[0];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const number = head.classList.contains("n");
      const up = head.getAttribute("aria-sort") === "descending" || (!number && head.getAttribute("aria-sort") !== "ascending");
      heads.forEach((one) => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", up ? "ascending" : "descending");
      const value = (row) => number ? Number(row.cells[column].textContent.replace(/,/g, "")) : row.cells[column].textContent;
      const order = (a, b) => number ? value(a) - value(b) : value(a).localeCompare(value(b));
      body.append(...[...body.rows].sort((a, b) => up ? order(a, b) : order(b, a)));
    };
    head.addEventListener("click", sort);
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(); });
  });
});

/* ---- start ---- */

try { const kept = localStorage.getItem("rvtrace-theme"); if (kept) { root.classList.add(kept); dark = isDark(); } } catch { /* likewise */ }
$("app").hidden = false;
if (!B && M) document.querySelectorAll("#bytes, .tabs [data-pane=bytes]").forEach((e) => { e.hidden = true; });
if (D.code.lines.length) {
  document.querySelectorAll("#source, .tabs [data-pane=source]").forEach((e) => { e.hidden = false; });
  document.querySelector(".panes").classList.add("with-source");
}
document.querySelector(".tools").hidden = false;
if (innerWidth <= 900 || N) $("summary").open = false;
addEventListener("resize", () => { resize(); measure(); });
addEventListener("beforeprint", () => { $("summary").open = true; });
resize();
measure();
say();
function follow() {
  const named = /^#f=([a-z].*)$/i.exec(location.hash), m = /^#([imbf])=(0x[\da-f]+|\d+)$/i.exec(location.hash);
  if (named) {  // the first finding of a clause, a cause if there is one
    const wanted = decodeURIComponent(named[1]), own = D.findings.findIndex((f) => f.clause === wanted);
    if (own < 0) return false;
    selectFinding(own);
    return true;
  }
  if (!m) return false;
  const n = Number(m[2]);
  ({ i: () => selectInsn(n), m: () => selectMessage(n), b: () => selectMessage(Math.max(byteMessage(n), 0), n), f: () => n < D.findings.length && selectFinding(n) })[m[1].toLowerCase()]();
  return true;
}
addEventListener("hashchange", follow);
if (D.code.lines.length) showFile(D.code.lines[Math.max(lineOf(0), 0)][0]);
if (!follow() && D.findings.length) selectFinding(0);
paint();
root.dataset.ms = Math.round(performance.now() - begun);
root.dataset.state = "ready";
window.traceView = { view, S, lists, counts: D.counts, search: (text) => { $("search").value = text; hit(1); }, axes: Object.keys(AXES), selectMessage, selectInsn, selectFinding, selectTable, tracks: () => tracksNow().map((track) => [track.name, track.kind]), rate: (name, from, to) => rate(tracksNow().find((track) => track.name === name), from, to), setCursor, span, cursorX, zoom, move, paint: () => { paint(); return drawn; } };
})().catch((error) => {
  const note = document.getElementById("trouble");
  note.textContent = `The page cannot show the trace (${error.message}). The summary is below.`;
  note.hidden = false;
  document.documentElement.dataset.state = "failed";
  console.error(error);
});
