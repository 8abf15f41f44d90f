import { isIPv6 } from "node:net";
import fc from "fast-check";
import { expect, test } from "vitest";
import { addressKey } from "../../../src/ground/http/address/addressKey.js";
import { clientAddress } from "../../../src/ground/http/address/clientAddress.js";
import { propertyRuns } from "../../tools/propertyRuns.js";

test.each([
  [0, "203.0.113.9", "10.0.0.1", "10.0.0.1"],
  [1, "203.0.113.9", "10.0.0.1", "203.0.113.9"],
  [1, "198.51.100.1, 203.0.113.9", "10.0.0.1", "203.0.113.9"],
  [2, "198.51.100.1, 203.0.113.9", "10.0.0.1", "198.51.100.1"],
  [3, "203.0.113.9", "10.0.0.1", "203.0.113.9"],
  [1, undefined, "10.0.0.1", "10.0.0.1"],
  [1, " , ", "10.0.0.1", "10.0.0.1"],
  [1, undefined, undefined, undefined],
])("with %i trusted hops and X-Forwarded-For %s from %s, the client is %s", (hops, forwarded, peer, expected) => {
  expect(clientAddress(forwarded === undefined ? [] : ["X-Forwarded-For", forwarded], peer, hops)).toBe(expected);
});

test("lines of X-Forwarded-For are read in their order", () => {
  expect(clientAddress(["X-Forwarded-For", "198.51.100.1", "x-forwarded-for", "203.0.113.9"], "10.0.0.1", 1)).toBe("203.0.113.9");
});

/** Notations of one address each, with the examples of RFC 4291 §2.2 and §2.5.5, and of RFC 5952 §2 and §4. */
const notations: readonly [key: string, ...addresses: readonly string[]][] = [
  ["192.0.2.1", "192.0.2.1", "192.0.2.1:4711", "[192.0.2.1]:4711"],
  ["192.0.2.1", "::ffff:192.0.2.1", "::FFFF:c000:0201", "0:0:0:0:0:ffff:c000:201", "[::ffff:192.0.2.1]:443", "::ffff:c000:201%eth0"],
  ["192.0.2.2", "::ffff:c000:202"],
  ["129.144.52.38", "0:0:0:0:0:FFFF:129.144.52.38", "::FFFF:129.144.52.38"],
  ["abcd:ef01:2345:6789::/64", "ABCD:EF01:2345:6789:ABCD:EF01:2345:6789", "abcd:ef01:2345:6789::"],
  ["2001:db8::/64", "2001:DB8:0:0:8:800:200C:417A", "2001:DB8::8:800:200C:417A", "[2001:db8::1]:443", "[2001:db8::1]", "2001:0db8::0001"],
  ["2001:db8::/64", "2001:db8:0:0:1:0:0:1", "2001:0db8:0:0:1:0:0:1", "2001:db8::1:0:0:1", "2001:DB8:0:0:1::1"],
  ["ff01::/64", "FF01:0:0:0:0:0:0:101", "FF01::101"],
  ["::/64", "0:0:0:0:0:0:0:1", "::1", "::", "0:0:0:0:0:0:13.1.68.3", "::13.1.68.3"],
  ["2001:db8:aaaa:bbbb::/64", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:0001", "2001:db8:aaaa:bbbb:cccc:dddd:eeee:1", "2001:DB8:AAAA:BBBB::aaaa"],
  ["0:0:0:1::/64", "0:0:0:1::", "::1:0:0:0:0"],
  ["2001:0:0:10::/64", "2001:0:0:10::5", "2001::10:0:0:0:5"],
  ["fe80::/64", "fe80::1%eth0", "[fe80::1%25eth0]:80", "fe80::2"],
  ["64:ff9b::/64", "64:ff9b::192.0.2.33"],
  ["1:2:3", "1:2:3"],
  ["1::2::3", "1::2::3"],
  ["192.0.2.256", "192.0.2.256"],
  ["::ffff:1.2.3", "::ffff:1.2.3"],
  ["unknown", "unknown"],
  ["", ""],
  ["x".repeat(64), "x".repeat(10_000)],
];

test.each(notations)("the key %.40s is that of all notations of its address", (key, ...addresses) => {
  expect(addresses.map((address) => [address, addressKey(address)])).toEqual(addresses.map((address) => [address, key]));
});

/** The notations of a text: with brackets, a zone and a port, in either case. */
function written(text: string): fc.Arbitrary<string> {
  const zone = fc.constantFrom("", "%eth0", "%25en1");
  const port = fc.integer({ min: 1, max: 65_535 });
  return fc
    .tuple(fc.constantFrom(text.toLowerCase(), text.toUpperCase()), zone, port)
    .chain(([cased, named, of]) => fc.constantFrom(cased + named, `[${cased}${named}]`, `[${cased}${named}]:${of}`));
}

/** One of the notations of eight groups: each padded or not, the zeros from `start` on shortened, the last two as a dotted IPv4. */
function notationOf(groups: readonly number[]): fc.Arbitrary<string> {
  const zeros = groups.flatMap((group, start) => (group === 0 ? [start] : []));
  return fc
    .record({ padded: fc.array(fc.boolean(), { minLength: 8, maxLength: 8 }), isDotted: fc.boolean(), start: fc.constantFrom(undefined, ...zeros) })
    .chain(({ padded, isDotted, start }) => {
      const texts = groups.map((group, index) => group.toString(16).padStart(padded[index] ? 4 : 1, "0"));
      const [high = 0, low = 0] = groups.slice(6);
      if (isDotted) texts.splice(6, 2, [high >> 8, high & 255, low >> 8, low & 255].join("."));
      const last = isDotted ? 6 : 8;
      if (start === undefined || start >= last) return written(texts.join(":"));
      let end = start;
      while (end < last && groups[end] === 0) end += 1;
      return written(`${texts.slice(0, start).join(":")}::${texts.slice(end).join(":")}`);
    });
}

const group = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));

test("all notations of an IPv6 address have one key, which is its network in canonical form", () => {
  const given = fc
    .array(group, { minLength: 8, maxLength: 8 })
    .filter((groups) => !groups.slice(0, 5).every((each) => each === 0))
    .chain((groups) => fc.tuple(fc.constant(groups), notationOf(groups)));
  fc.assert(
    fc.property(given, ([groups, address]) => {
      const network = [...groups.slice(0, 4), 0, 0, 0, 0].map((each) => each.toString(16)).join(":");
      const [prefix = ""] = addressKey(address).split("/");
      expect(isIPv6(prefix)).toBe(true);
      // The URL parser writes addresses as RFC 5952 does.
      expect(`[${prefix}]`).toBe(new URL(`http://[${network}]`).hostname);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});

test("all notations of an IPv4 address have one key, also mapped to IPv6", () => {
  const octet = fc.integer({ min: 0, max: 255 });
  const given = fc.tuple(octet, octet, octet, octet).chain((octets) => {
    const [a, b, c, d] = octets;
    const text = octets.join(".");
    const mapped = notationOf([0, 0, 0, 0, 0, 0xffff, a * 256 + b, c * 256 + d]);
    return fc.tuple(fc.constant(text), fc.oneof(mapped, fc.constantFrom(text, `${text}:80`, `[${text}]:80`)));
  });
  fc.assert(
    fc.property(given, ([text, address]) => {
      expect(addressKey(address)).toBe(text);
    }),
    { numRuns: propertyRuns(2_000) },
  );
});
