import type { z } from "zod";

/**
 * Whether a text meets the formats, patterns and lengths of a string type. Functions of the developer are not called.
 *
 * @param definitions of the type and of its checks
 */
export function acceptsText(definitions: readonly z.core.$ZodTypeDef[], text: string): boolean {
  return (definitions as unknown as readonly Readonly<Record<string, unknown>>[]).every(({ pattern, maximum, minimum, length }) => {
    // A global expression keeps state between calls.
    if (pattern instanceof RegExp && !new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, "")).test(text)) return false;
    if (typeof length === "number" && text.length !== length) return false;
    return text.length <= Number(maximum ?? text.length) && text.length >= Number(minimum ?? 0);
  });
}
