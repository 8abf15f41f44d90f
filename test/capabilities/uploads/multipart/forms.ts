import { type MultipartOptions, type Part, parseMultipart } from "../../../../src/capabilities/uploads/index.js";
import { joined } from "../../../../src/testing/blobs/bytes.js";

/** A part as it was read; the content of a file as text, a character a byte. */
export type SeenPart =
  | { readonly name: string; readonly value: string; readonly type?: string }
  | { readonly name: string; readonly filename: string; readonly content: string; readonly type?: string; readonly charset?: string };

/** What became of a form. */
export interface SeenForm {
  readonly parts: readonly SeenPart[];
  readonly error: unknown;
}

/** How a form comes. */
export interface FormOptions extends MultipartOptions {
  readonly contentType?: string;
  readonly chunkBytes?: number;
}

/** Lines with CRLF between them. */
export function crlf(...lines: readonly string[]): string {
  return lines.join("\r\n");
}

/** A whole form whose boundary is `b`, of parts that are given from their first header on. */
export function formOf(...parts: readonly string[]): string {
  return crlf(...parts.map((part) => `--b\r\n${part}`), "--b--", "");
}

/** A part with this Content-Disposition (without its type), other headers and content. */
export function partOf(parameters: string, content = "x", ...headers: readonly string[]): string {
  return crlf(`Content-Disposition: form-data; ${parameters}`, ...headers, "", content);
}

/** Reads all of a form whose boundary is `b`. */
export async function readForm(
  body: string | Uint8Array,
  { contentType = "multipart/form-data; boundary=b", chunkBytes, ...options }: FormOptions = {},
): Promise<SeenForm> {
  const bytes = typeof body === "string" ? Buffer.from(body, "utf8") : body;
  const request = { headers: { "content-type": contentType }, body: chunksOf(bytes, chunkBytes ?? Math.max(1, bytes.length)) };
  const parts: SeenPart[] = [];
  try {
    for await (const part of parseMultipart(request, options)) parts.push(await seen(part));
    return { parts, error: undefined };
  } catch (error) {
    return { parts, error };
  }
}

export async function* chunksOf(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

/** Reads a part to its end. */
export async function seen(part: Part): Promise<SeenPart> {
  const type = part.declaredContentType === undefined ? {} : { type: part.declaredContentType };
  if (part.kind === "field") return { name: part.name, value: part.value, ...type };
  const charset = part.charset === undefined ? {} : { charset: part.charset };
  return { name: part.name, filename: part.filename, content: (await joined(part.bytes)).toString("latin1"), ...type, ...charset };
}
