/** A segment of a path, decoded once; `undefined` where it is not percent-encoded UTF-8. */
export function decodedSegment(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/**
 * Whether a decoded segment is `.` or `..`, or holds one for whoever decodes it a second time or takes `/` and `\` inside it for separators.
 *
 * Our router does neither; a hook, a storage or a proxy of the developer might.
 *
 * @see RFC 3986 §3.3
 */
export function holdsDotSegment(text: string): boolean {
  const parts = text.replaceAll(/%2e/gi, ".").split(/[/\\]|%2f|%5c/i);
  return parts.some((part) => part === "." || part === "..");
}
