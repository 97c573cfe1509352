// What is wrong with the page as it is laid out now: a list of sentences. With a true argument, names are short enough that no word
// has to be broken.
const [hasShortNames] = arguments;
const wrong = [];
const say = (text) => { if (wrong.length < 12 && !wrong.includes(text)) wrong.push(text); };
const name = (element) => element.tagName.toLowerCase() + (element.id ? "#" + element.id : "") +
  (element.getAttribute("class") ? "." + element.getAttribute("class").split(" ").join(".") : "") +
  " \"" + (element.textContent || "").trim().slice(0, 40) + "\"";
const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) &&
  !element.closest(".sr, .skip");

// The frame.
if (document.querySelectorAll("h1").length !== 1) say("not one h1");
if (document.documentElement.lang !== "en") say("no language");
for (const part of ["main", "header", "footer"]) {
  if (document.querySelectorAll("body > " + part).length !== 1) say("no landmark: " + part);
}
if (!document.title.endsWith(" · rota")) say("no title");

const ids = [...document.querySelectorAll("[id]")].map((element) => element.id);
for (const id of ids.filter((one, index) => ids.indexOf(one) !== index)) say("id twice: " + id);
if (document.querySelector("[style]:not(.pop), [onclick], script:not([src])")) say("a style attribute or an inline script");

// No sideways scrolling.
const width = document.documentElement.clientWidth;
if (document.documentElement.scrollWidth > width) {
  const wide = [...document.querySelectorAll("body *")].filter((element) => element.getBoundingClientRect().right > width + 1);
  say("scrolls sideways: " + document.documentElement.scrollWidth + " in " + width + " for " +
    wide.slice(-3).map(name).join(", "));
}
// What is drawn beyond a box that does not scroll is cut off.
for (const box of document.querySelectorAll(".card, table, td, th, .tag, .btn, button, h1")) {
  const style = getComputedStyle(box);
  if (isSeen(box) && box.scrollWidth > box.clientWidth + 1 && box.clientWidth > 1 && style.display !== "inline") {
    say("cut off or spilling: " + name(box) + " " + box.scrollWidth + " in " + box.clientWidth);
  }
}

// Text is cut off by an ellipsis alone.
for (const box of document.querySelectorAll("body *")) {
  const hasText = [...box.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasText || !isSeen(box) || box.clientWidth < 2) continue;
  const style = getComputedStyle(box);
  const isCut = style.overflowX !== "visible" && style.overflowX !== "auto" && box.scrollWidth > box.clientWidth + 1;
  const isHidden = style.color === "rgba(0, 0, 0, 0)" || style.fontSize === "0px";
  if (isCut && !isHidden && style.textOverflow !== "ellipsis") say("text cut off: " + name(box));
}
// Bars of a row do not meet, and what is written on them stays within.
for (const track of document.querySelectorAll(".track")) {
  if (!isSeen(track)) continue;
  let last = -Infinity;
  for (const bar of track.querySelectorAll(".bar")) {
    const box = bar.getBoundingClientRect();
    if (box.left < last - 1) say("bars overlap: " + name(bar));
    last = box.right;
    for (const part of bar.querySelectorAll(".in > *, .in .two > *")) {
      const at = part.getBoundingClientRect();
      if (isSeen(part) && at.width > 0 && at.right > box.right + 1) say("spills from its bar: " + name(part));
    }
  }
}
// No word is broken.
if (hasShortNames) {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), range = document.createRange();
  for (let text = texts.nextNode(); text; text = texts.nextNode()) {
    if (!text.data.trim() || text.parentElement.closest("code, pre, script, svg, option, textarea, .code") || !isSeen(text.parentElement)) continue;
    // The heads of tables that are laid out anew are for readers of the screen alone.
    if (text.parentElement.closest("thead")?.getBoundingClientRect().width <= 1) continue;
    for (const word of text.data.matchAll(/[\p{L}\d]+/gu)) {
      range.setStart(text, word.index);
      range.setEnd(text, word.index + word[0].length);
      const lines = new Set([...range.getClientRects()].filter((box) => box.width > 0).map((box) => Math.round(box.top)));
      if (lines.size > 1) say("word broken: " + word[0] + " in " + name(text.parentElement));
    }
  }
}

// Targets of 24 pixels; links within a sentence are exempt.
for (const target of document.querySelectorAll("button, .btn, nav a, summary, input:not([type=hidden]), select, textarea")) {
  const box = target.getBoundingClientRect();
  if (isSeen(target) && (box.width < 24 || box.height < 24)) {
    // A small box counts together with its label.
    const label = target.labels && target.labels[0] && target.labels[0].getBoundingClientRect();
    if (!label || label.height < 24) say("target below 24 px: " + name(target) + " " + box.width + " x " + box.height);
  }
}

// Contrast of text in drawings: its fill against everything that is painted behind it.
const parse = (text) => {
  const parts = (text.match(/[\d.]+/g) || []).map(Number);
  return parts.length < 3 ? null : { r: parts[0], g: parts[1], b: parts[2], a: parts.length > 3 ? parts[3] : 1 };
};
const over = (top, under) => ({
  r: top.r * top.a + under.r * (1 - top.a), g: top.g * top.a + under.g * (1 - top.a),
  b: top.b * top.a + under.b * (1 - top.a), a: 1,
});
const light = ({ r, g, b }) => {
  const part = (value) => ((value /= 255) <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
  return 0.2126 * part(r) + 0.7152 * part(g) + 0.0722 * part(b);
};
const contrast = (one, other) => {
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
};
const ground = (element) => {
  for (let at = element; at; at = at.parentElement) {
    const colour = parse(getComputedStyle(at).backgroundColor);
    if (colour && colour.a === 1) return colour;
  }
  return { r: 255, g: 255, b: 255, a: 1 };
};
for (const drawing of document.querySelectorAll("main svg")) {
  if (drawing.parentElement.closest("svg") || !isSeen(drawing)) continue;
  const shapes = [...drawing.querySelectorAll("rect, text")].filter((shape) => !shape.closest("defs"));
  const boxes = new Map(shapes.map((shape) => [shape, shape.getBoundingClientRect()]));
  shapes.forEach((text, index) => {
    if (text.tagName !== "text" || !text.textContent.trim()) return;
    const style = getComputedStyle(text), at = boxes.get(text);
    const halo = style.paintOrder.startsWith("stroke") && parseFloat(style.strokeWidth) >= 3 && parse(style.stroke);
    let behind = [ground(drawing)];
    for (const shape of shapes.slice(0, index)) {
      const box = boxes.get(shape);
      const meets = box.left < at.right && at.left < box.right && box.top < at.bottom && at.top < box.bottom;
      if (shape.tagName !== "rect" || !meets) continue;
      const fill = getComputedStyle(shape).fill;
      const pattern = fill.match(/#([\w-]+)/);
      if (pattern) {
        const mark = drawing.querySelector("#" + pattern[1] + " > *"), marked = getComputedStyle(mark);
        const colour = parse(marked.stroke) || parse(marked.fill);
        behind = behind.concat(behind.map((under) => over(colour, under)));
      } else if (parse(fill)) {
        const colour = parse(fill);
        behind = colour.a === 1 ? [colour] : behind.map((under) => over(colour, under));
      }
    }
    if (halo) behind = [halo];
    for (const under of behind) {
      const ratio = contrast(parse(style.fill), under);
      if (ratio < 4.5) say("contrast " + ratio.toFixed(2) + " of " + name(text) + " in a drawing");
    }
  });
}
return wrong;
