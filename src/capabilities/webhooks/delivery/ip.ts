/** The longest text of an address: eight full groups of IPv6, or six and a dotted IPv4. */
const maxAddressCharacters = 45;

/**
 * The bytes of an IPv4 address (4) or an IPv6 address (16) as Node and the URL parser write them; `undefined` for any other text.
 * Zone ids, leading zeros in IPv4, and hexadecimal or short IPv4 forms are rejected.
 *
 * @see RFC 4291 §2.2
 */
export function parseIp(text: string): Uint8Array | undefined {
  if (text.length > maxAddressCharacters) return undefined;
  return text.includes(":") ? parseIpv6(text) : parseIpv4(text);
}

function parseIpv4(text: string): Uint8Array | undefined {
  const parts = text.split(".");
  if (parts.length !== 4 || !parts.every(isOctet)) return undefined;
  return Uint8Array.from(parts, Number);
}

function isOctet(part: string): boolean {
  return /^\d{1,3}$/.test(part) && (part.length === 1 || part[0] !== "0") && Number(part) <= 255;
}

function parseIpv6(text: string): Uint8Array | undefined {
  const halves = text.split("::");
  if (halves.length > 2) return undefined;
  const [head = "", tail] = halves;
  const before = parseGroups(head, tail === undefined);
  const after = tail === undefined ? [] : parseGroups(tail, true);
  if (before === undefined || after === undefined) return undefined;
  const missing = 16 - before.length - after.length;
  // Two colons replace at least one group.
  if (tail === undefined ? missing !== 0 : missing < 2) return undefined;
  return Uint8Array.from([...before, ...new Array<number>(missing).fill(0), ...after]);
}

/** The bytes of groups between colons; the last group of an address may be a dotted IPv4. */
function parseGroups(text: string, ends: boolean): readonly number[] | undefined {
  if (text === "") return [];
  const bytes: number[] = [];
  const groups = text.split(":");
  for (const [index, group] of groups.entries()) {
    const group4 = ends && index === groups.length - 1 && group.includes(".") ? parseIpv4(group) : undefined;
    if (group4 !== undefined) bytes.push(...group4);
    else if (/^[0-9a-f]{1,4}$/i.test(group)) bytes.push(Number.parseInt(group, 16) >> 8, Number.parseInt(group, 16) & 0xff);
    else return undefined;
  }
  return bytes;
}
