import { detectType } from "../types/detectType.js";
import { animatable, animatingElements, attributes, elements, graphics, imageElements, textElements } from "./svgNames.js";

/** The start tag of an element. */
export interface SvgTag {
  readonly local: string;
  readonly uri: string;
  readonly attributes: Readonly<Record<string, SvgAttribute>>;
}

export interface SvgAttribute {
  readonly local: string;
  readonly uri: string;
  readonly value: string;
}

const svg = "http://www.w3.org/2000/svg";
const xlink = "http://www.w3.org/1999/xlink";
const xml = "http://www.w3.org/XML/1998/namespace";
/** Attributes with plain text values. */
const plain = /^(?:id|class|lang|role|aria-[a-z]+)$/;

/** Rewrites a drawing from allowed elements and attributes. Unknown elements are dropped with their contents. */
export class SvgWriter {
  readonly #out: string[] = [];
  readonly #open: string[] = [];
  /** Nesting depth inside a dropped element. */
  #skipped = 0;
  #style: string | undefined;
  #drawn = 0;
  #leftOut = 0;

  get depth(): number {
    return this.#open.length + this.#skipped;
  }

  /** Whether something was dropped and nothing visible is left. */
  get isEmptied(): boolean {
    return this.#leftOut > 0 && this.#drawn === 0;
  }

  begin(tag: SvgTag): void {
    if (this.#skipped > 0 || !this.#isKept(tag)) {
      this.#skipped += 1;
      this.#leftOut += 1;
      return;
    }
    if (graphics.has(tag.local)) this.#drawn += 1;
    const names = this.#open.length === 0 ? ` xmlns="${svg}" xmlns:xlink="${xlink}"` : "";
    this.#open.push(tag.local);
    if (tag.local === "style") this.#style = "";
    else this.#out.push(`<${tag.local}${names}${this.#attributes(tag)}>`);
  }

  text(text: string): void {
    if (this.#skipped > 0) return;
    if (this.#style !== undefined) this.#style += text;
    else if (textElements.has(this.#open.at(-1) ?? "")) this.#out.push(escapeText(text));
  }

  end(): void {
    if (this.#skipped > 0) {
      this.#skipped -= 1;
      return;
    }
    const name = this.#open.pop();
    if (this.#style === undefined) this.#out.push(`</${name}>`);
    else if (isSafeStyle(this.#style)) this.#out.push(`<style>${escapeText(this.#style)}</style>`);
    if (name === "style") this.#style = undefined;
  }

  toString(): string {
    return this.#out.join("");
  }

  #isKept({ local, uri, attributes: given }: SvgTag): boolean {
    if (uri !== svg || !elements.has(local) || this.#style !== undefined) return false;
    return !animatingElements.has(local) || animatable.has(given["attributeName"]?.value ?? "");
  }

  #attributes({ local: element, attributes: given }: SvgTag): string {
    let written = "";
    for (const { local, uri, value } of Object.values(given)) {
      const name = nameOf(element, local, uri, value);
      if (name !== undefined) written += ` ${name}="${escapeAttribute(value)}"`;
    }
    return written;
  }
}

/** The name under which an attribute is kept. */
function nameOf(element: string, local: string, uri: string, value: string): string | undefined {
  if (uri === xml) return local === "space" || local === "lang" ? `xml:${local}` : undefined;
  if (local === "href" && (uri === "" || uri === xlink)) return isSafeReference(element, value) ? (uri === "" ? "href" : "xlink:href") : undefined;
  if (uri !== "") return undefined;
  if (plain.test(local)) return local;
  return attributes.has(local) && isSafeStyle(value) ? local : undefined;
}

function escapeText(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll("\r", "&#13;");
}

function escapeAttribute(value: string): string {
  return escapeText(value).replaceAll('"', "&quot;").replaceAll("\t", "&#9;").replaceAll("\n", "&#10;");
}

const image = /^data:image\/(?:png|jpeg|jpg|gif|webp|avif);base64,/;
const raster: ReadonlySet<string | undefined> = new Set(["image/png", "image/jpeg", "image/gif", "image/webp", "image/avif"]);
/** In base64: enough to detect the type. */
const beginning = 4_096;

/** Whether a reference leads to an element of the drawing, or is a data URL of a raster image. */
function isSafeReference(element: string, reference: string): boolean {
  if (/^\s*#[^\s"'<>]*\s*$/.test(reference)) return true;
  if (!imageElements.has(element)) return false;
  const prefix = image.exec(reference)?.[0] ?? "";
  const data = reference.slice(prefix.length);
  if (prefix === "" || /[^A-Za-z0-9+/=\s]/.test(data)) return false;
  return raster.has(detectType(Buffer.from(data.slice(0, beginning), "base64")));
}

const functions: ReadonlySet<string> = new Set(
  (
    "rgb rgba hsl hsla hwb lab lch oklab oklch color color-mix var calc min max clamp translate translatex translatey translate3d scale scalex scaley scale3d rotate rotatex" +
    " rotatey rotatez rotate3d skew skewx skewy matrix matrix3d perspective cubic-bezier steps blur brightness contrast drop-shadow grayscale hue-rotate invert" +
    " opacity saturate sepia circle ellipse inset polygon path not is where nth-child nth-last-child nth-of-type nth-last-of-type lang accesskey"
  ).split(" "),
);
const rules: ReadonlySet<string> = new Set(["media", "supports", "keyframes", "-webkit-keyframes"]);
const local = /^\(\s*(?:#[^\s"'()]+|"#[^"()]+"|'#[^'()]+')\s*\)/;

/** No real style needs more. */
const maxCalls = 10_000;

/**
 * Whether a style, or an attribute that may contain references, refers to nothing outside of the drawing. Only functions and rules that are known to load nothing
 * are allowed, and no escapes, which could hide others.
 *
 * @see CSS Syntax Module Level 3
 */
function isSafeStyle(given: string): boolean {
  // Comments and strings are checked like the rest, because parsers disagree on where they end.
  const text = given.toLowerCase();
  if (/[\\<]|javascript:|vbscript:/.test(text)) return false;
  for (const [, rule = ""] of text.matchAll(/@([^\s{(;"']*)/g)) if (!rules.has(rule)) return false;
  let calls = 0;
  for (let at = text.indexOf("("); at !== -1; at = text.indexOf("(", at + 1)) {
    const name = /[^\s,;:{}()[\]"'/*+!>~=.#%&|]*$/.exec(text.slice(Math.max(0, at - 64), at))?.[0] ?? "";
    const isAllowed = name === "url" ? local.test(text.slice(at, at + 256)) : name === "" || name === "and" || name === "or" || functions.has(name);
    calls += 1;
    if (!isAllowed || calls > maxCalls) return false;
  }
  return true;
}
