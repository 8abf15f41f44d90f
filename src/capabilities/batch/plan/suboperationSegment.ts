/**
 * Whether a decoded segment is `.` or `..`, or contains one if it is decoded again or `/` and `\` inside it are treated as separators.
 *
 * The router does neither, but a hook, a storage or a proxy of the developer might.
 *
 * @see RFC 3986 §3.3
 */
export function hasDotSegment(text: string): boolean {
  const parts = text.replaceAll(/%2e/gi, ".").split(/[/\\]|%2f|%5c/i);
  return parts.some((part) => part === "." || part === "..");
}
