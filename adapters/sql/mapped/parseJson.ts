import { Unreadable } from "./columnType.js";

/** A text may have a number beyond those of JavaScript only if this finds something in it. */
const mayBeInfinite = /\d{309}|\d[eE]\+?0*[1-9]\d{2}/;

/** The value of JSON in a column. @throws {Unreadable} if a number in it is beyond those of JavaScript, which would be shown as null */
export function parseJson(text: string): unknown {
  return mayBeInfinite.test(text) ? JSON.parse(text, finite) : JSON.parse(text);
}

function finite(_key: string, value: unknown): unknown {
  if (value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY) throw new Unreadable("a number in it is beyond 1.8e308");
  return value;
}
