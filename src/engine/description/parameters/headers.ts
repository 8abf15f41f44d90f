import type { DescribedParameter } from "../../operation/description.js";

const tag = { type: "string" };

/** Conditions of reads. @see RFC 9110 §13.1 */
export const readConditions: readonly DescribedParameter[] = [
  { name: "If-None-Match", text: "304 if the ETag is still one of these.", schema: tag },
  { name: "If-Match", text: "412 unless the ETag is one of these.", schema: tag },
];

/** Conditions of reads of one row. */
export const datedReadConditions: readonly DescribedParameter[] = [
  ...readConditions,
  { name: "If-Modified-Since", text: "304 if nothing has changed since this date.", schema: { type: "string" } },
  { name: "If-Unmodified-Since", text: "412 if it has changed since this date.", schema: { type: "string" } },
];

/** Conditions of changes. */
export function writeConditions(required: boolean): readonly DescribedParameter[] {
  return [
    { name: "If-Match", text: "412 unless the row still has one of these ETags.", schema: tag, required },
    { name: "If-None-Match", text: "`*`: 412 if the row exists.", schema: tag },
    { name: "If-Unmodified-Since", text: "412 if the row has changed since this date.", schema: { type: "string" } },
  ];
}

/** The key under which a repeated request is answered as the first one. */
export function idempotencyKey(required: boolean): DescribedParameter {
  const text =
    "A text that is new for each operation, such as a UUID: a repeat with the same key is answered as the first request, and does nothing.";
  return { name: "Idempotency-Key", text, schema: { type: "string", maxLength: 255 }, required };
}

/** Preferences that an operation considers. @see RFC 7240 */
export function prefer(...preferences: readonly string[]): DescribedParameter {
  return { name: "Prefer", text: `Any of ${preferences.map((each) => `\`${each}\``).join(", ")}.`, schema: { type: "string" } };
}
