/** The key of an address: an IPv4 address itself, and the /64 network of an IPv6 address, which is what one household or host gets. Any other text is its own key. */
export function addressKey(address: string): string {
  const [text = ""] = address.replace(/^\[|\](?::\d+)?$/g, "").split("%");
  const mapped = /^::ffff:(\d{1,3}(?:\.\d{1,3}){3})$/i.exec(text)?.[1];
  if (mapped !== undefined) return mapped;
  const ipv4 = /^(\d{1,3}(?:\.\d{1,3}){3})(?::\d+)?$/.exec(text)?.[1];
  if (ipv4 !== undefined) return ipv4;
  return networkOf(text) ?? address.slice(0, 64);
}

/** The first 64 bits of an IPv6 address: `2001:db8::1` → `2001:db8:0:0::/64`. @see RFC 4291 §2.2 */
function networkOf(text: string): string | undefined {
  if (!/^[\da-f:.]{2,45}$/i.test(text) || !text.includes(":")) return undefined;
  const [head = "", tail, more] = text.split("::");
  if (more !== undefined) return undefined;
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":").flatMap((group) => (group.includes(".") ? ["0", "0"] : group)));
  const [first, last] = [groupsOf(head), groupsOf(tail ?? "")];
  const missing = 8 - first.length - last.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...first, ...Array.from({ length: missing }, () => "0"), ...last].slice(0, 4);
  if (!groups.every((group) => /^[\da-f]{1,4}$/i.test(group))) return undefined;
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(":")}::/64`;
}
