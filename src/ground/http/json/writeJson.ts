import { roomAfter } from "../../storage/queue/roomAfter.js";
import { turnIsOver, yieldToEventLoop } from "../yieldToEventLoop.js";

/** Characters that are written without yielding. */
const atOnce = 65_536;

/** The JSON text of a value, as `JSON.stringify` makes it. A large value is written in slices, with a yield to the event loop between them, and returned as bytes. */
export function writeJson(value: object): string | Promise<Uint8Array> {
  return isLight(value) ? JSON.stringify(value) : encodePieces(partsOf(value));
}

/** The most characters that a value may have, without escapes. */
export function isLight(value: unknown): boolean {
  return roomAfter(value, atOnce) > 0;
}

/** The bytes of a large text that comes in parts, each of which is quick to make; yields to the event loop between them. */
export async function encodePieces(parts: Iterable<string>): Promise<Uint8Array> {
  const pieces: Buffer[] = [];
  let text = "";
  for (const part of parts) {
    text += part;
    if (text.length >= atOnce) flush();
    if (turnIsOver()) await yieldToEventLoop();
  }
  flush();
  return joinBytes(pieces);

  function flush(): void {
    pieces.push(Buffer.from(text));
    text = "";
  }
}

/** Joins the pieces of a large text, yielding to the event loop between them. */
export async function joinBytes(pieces: readonly Uint8Array[]): Promise<Uint8Array> {
  const whole = Buffer.allocUnsafeSlow(pieces.reduce((length, piece) => length + piece.length, 0));
  let end = 0;
  for (const piece of pieces) {
    whole.set(piece, end);
    end += piece.length;
    if (turnIsOver()) await yieldToEventLoop();
  }
  return whole;
}

/** How {@link partsOf} writes a value that is quick to write, and which members of an object it writes. */
export interface JsonStyle {
  write(value: unknown): string;
  membersOf(value: object): readonly (readonly [name: string, member: unknown])[];
}

const plain: JsonStyle = { write: (value) => JSON.stringify(value) ?? "null", membersOf: Object.entries };

/** The text of a value in pieces, each of which is quick to make. */
export function* partsOf(value: unknown, style = plain): Generator<string, void, void> {
  if (isLight(value) || typeof value !== "object" || value === null || ("toJSON" in value && typeof value.toJSON === "function")) {
    yield style.write(value);
    return;
  }
  let separator = "";
  if (Array.isArray(value)) {
    yield "[";
    for (const element of value) {
      yield separator;
      yield* partsOf(element, style);
      separator = ",";
    }
    yield "]";
    return;
  }
  yield "{";
  for (const [name, member] of style.membersOf(value)) {
    if (member === undefined) continue;
    yield `${separator}${JSON.stringify(name)}:`;
    yield* partsOf(member, style);
    separator = ",";
  }
  yield "}";
}
