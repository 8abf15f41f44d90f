/**
 * Topics as messages of a channel: JSON arrays that are no longer than it allows.
 *
 * @throws {RangeError} for a topic that is too long for a message of its own
 */
export function payloadsOf(topics: readonly string[], maxBytes: number): readonly string[] {
  const payloads: string[] = [];
  let parts: string[] = [];
  // The brackets.
  let bytes = 2;
  for (const topic of topics) {
    const part = JSON.stringify(topic);
    const partBytes = Buffer.byteLength(part) + 1;
    if (partBytes + 2 > maxBytes) throw new RangeError(`A topic must have less than ${maxBytes} bytes.`);
    if (bytes + partBytes > maxBytes) {
      payloads.push(`[${parts.join()}]`);
      [parts, bytes] = [[], 2];
    }
    parts.push(part);
    bytes += partBytes;
  }
  if (parts.length > 0) payloads.push(`[${parts.join()}]`);
  return payloads;
}

/** The topics of a message. What another program has sent is a topic as it is, so that `notify restwright, 'jobs'` wakes too. */
export function topicsOf(payload: string): readonly string[] {
  try {
    const topics: unknown = JSON.parse(payload);
    return Array.isArray(topics) ? topics.map(String) : [payload];
  } catch {
    return [payload];
  }
}
