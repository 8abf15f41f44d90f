import type { z } from "zod";
import { ConfigurationError } from "../../ground/problem/index.js";
import { acceptsText } from "./acceptsText.js";

/** Small letters are the one form in which rows have UUIDs: RFC 9562 §4 reads both, and texts of two cases would be two rows, two unique values, two references. */
export function foldUuid(value: unknown): unknown {
  return typeof value === "string" ? value.toLowerCase() : value;
}

const samples = /* @__PURE__ */ [1, 2, 3, 4, 5, 6, 7, 8].map((version) => `abcdef01-abcd-${version}abc-abcd-abcdefabcdef`);

/** @throws {ConfigurationError} for a type that accepts UUIDs in capitals only, since none is stored so */
export function requireSmallLetters(definitions: readonly z.core.$ZodTypeDef[]): void {
  const accepted = (text: string) => acceptsText(definitions, text);
  if (samples.some(accepted) || !samples.some((text) => accepted(text.toUpperCase()))) return;
  throw new ConfigurationError("A UUID is stored and shown in small letters, but the schema accepts capitals only; remove that pattern.");
}
