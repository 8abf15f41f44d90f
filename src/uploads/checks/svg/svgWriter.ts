import { isSafeReference } from "./isSafeReference.js";
import { isSafeStyle } from "./isSafeStyle.js";
import { animatable, animatingElements, attributes, elements, graphics, textElements } from "./svgNames.js";

/** An element as it begins. */
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
/** Attributes whose texts mean nothing but themselves. */
const plain = /^(?:id|class|lang|role|aria-[a-z]+)$/;

/** Writes a drawing anew, from what may be in it. What is not known is left out, with all that is in it. */
export class SvgWriter {
  readonly #out: string[] = [];
  readonly #open: string[] = [];
  /** How deep in an element that is left out. */
  #skipped = 0;
  #style: string | undefined;
  #drawn = 0;
  #leftOut = 0;

  get depth(): number {
    return this.#open.length + this.#skipped;
  }

  /** Whether things were left out, and nothing that draws is there. */
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
