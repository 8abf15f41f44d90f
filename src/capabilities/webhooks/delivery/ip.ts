import { isIP } from "node:net";

/**
 * The bytes of an IPv4 address (4) or an IPv6 address (16) as Node and the URL parser write them; `undefined` for any other text.
 * Zone ids, leading zeros in IPv4, and hexadecimal or short IPv4 forms are rejected.
 *
 * @see RFC 4291 §2.2
 */
export function parseIp(text: string): Uint8Array | undefined {
  const family = isIP(text);
  if (family === 4) return Uint8Array.from(text.split("."), Number);
  if (family === 0 || text.includes("%")) return undefined;
  const [before = [], after = []] = text.split("::").map(bytesOf);
  const zeros = new Array<number>(16 - before.length - after.length).fill(0);
  return Uint8Array.from([...before, ...zeros, ...after]);
}

/** The bytes of groups between colons; the last group of an address may be a dotted IPv4. */
function bytesOf(groups: string): readonly number[] {
  if (groups === "") return [];
  return groups.split(":").flatMap((group) => {
    if (group.includes(".")) return group.split(".").map(Number);
    const bits = Number.parseInt(group, 16);
    return [bits >> 8, bits & 0xff];
  });
}
