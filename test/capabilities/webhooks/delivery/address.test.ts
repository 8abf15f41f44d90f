import { isIPv4, isIPv6 } from "node:net";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkAddress } from "../../../../src/capabilities/webhooks/delivery/address.js";
import { isWithin, parseCidr } from "../../../../src/capabilities/webhooks/delivery/cidr.js";
import { parseIp } from "../../../../src/capabilities/webhooks/delivery/ip.js";
import { compileNetwork } from "../../../../src/capabilities/webhooks/delivery/network.js";
import { ConfigurationError } from "../../../../src/ground/problem/index.js";
import { propertyRuns } from "../../../tools/propertyRuns.js";

/** Block, its first and last address, and the neighbours outside it that are public. */
const ipv4Blocks: readonly [block: string, inside: readonly string[], outside: readonly string[]][] = [
  ["0/8", ["0.0.0.0", "0.255.255.255"], ["1.0.0.0"]],
  ["10/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
  ["100.64/10", ["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]],
  ["127/8", ["127.0.0.0", "127.0.0.1", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]],
  ["168.63.129.16", ["168.63.129.16"], ["168.63.129.15", "168.63.129.17"]],
  ["169.254/16", ["169.254.0.0", "169.254.169.254", "169.254.255.255"], ["169.253.255.255", "169.255.0.0"]],
  ["172.16/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
  ["192.0.0/24", ["192.0.0.0", "192.0.0.255"], ["191.255.255.255", "192.0.1.0"]],
  ["192.0.2/24", ["192.0.2.0", "192.0.2.255"], ["192.0.1.255", "192.0.3.0"]],
  ["192.88.99/24", ["192.88.99.0", "192.88.99.255"], ["192.88.98.255", "192.88.100.0"]],
  ["192.168/16", ["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]],
  ["198.18/15", ["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]],
  ["198.51.100/24", ["198.51.100.0", "198.51.100.255"], ["198.51.99.255", "198.51.101.0"]],
  ["203.0.113/24", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
  ["224/3", ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"], ["223.255.255.255"]],
];

const ipv6Blocks: readonly [block: string, inside: readonly string[], outside: readonly string[]][] = [
  ["outside 2000::/3", ["1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "4000::"], ["2000::", "3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff"]],
  ["2001::/23", ["2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff"], ["2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::"]],
  ["2001:db8::/32", ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"], ["2001:db7:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::"]],
  ["2002::/16", ["2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], ["2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::"]],
  ["3fff::/20", ["3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff"], ["3ffe:ffff::1", "3fff:1000::"]],
  ["unspecified and loopback", ["::", "::1"], []],
  ["::/96", ["::8.8.8.8", "::ffff"], []],
  ["64:ff9b:1::/48", ["64:ff9b:1::", "64:ff9b:1:ffff:ffff:ffff:ffff:ffff", "64:ff9b:1::808:808"], []],
  ["beside 64:ff9b::/96", ["64:ff9a::808:808", "64:ff9b::1:808:808", "64:ff9c::808:808"], []],
  ["beside ::ffff:0:0/96", ["::fffe:808:808", "::1:808:808:808", "::ffff:0:808:808"], []],
  ["100::/64", ["100::", "100::ffff:ffff:ffff:ffff"], []],
  ["5f00::/16", ["5f00::", "5f00:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], []],
  ["fc00::/7", ["fc00::", "fd00::1", "fdff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], []],
  ["fe80::/10", ["fe80::1", "febf:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], []],
  ["fec0::/10", ["fec0::", "feff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], []],
  ["ff00::/8", ["ff02::1", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"], []],
];

describe("an address", () => {
  test.each([...ipv4Blocks, ...ipv6Blocks])("of %s is blocked, its neighbours are not", (_block, inside, outside) => {
    expect(inside.map((address) => [address, checkAddress(address)])).toEqual(inside.map((address) => [address, "blocked"]));
    expect(outside.map((address) => [address, checkAddress(address)])).toEqual(outside.map((address) => [address, "public"]));
  });

  test.each(["8.8.8.8", "1.1.1.1", "93.184.216.34", "2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2600:1901:0:38d7::"])(
    "of the public internet is reached: %s",
    (address) => {
      expect(checkAddress(address)).toBe("public");
    },
  );

  test("that embeds an IPv4 address is judged by it", () => {
    for (const [, inside, outside] of ipv4Blocks) {
      for (const address of inside) expect([checkAddress(`::ffff:${address}`), checkAddress(`64:ff9b::${address}`)]).toEqual(["blocked", "blocked"]);
      for (const address of outside) expect([checkAddress(`::ffff:${address}`), checkAddress(`64:ff9b::${address}`)]).toEqual(["public", "public"]);
    }
    expect(checkAddress("::ffff:7f00:1")).toBe("blocked");
    expect(checkAddress("::FFFF:808:808")).toBe("public");
    expect(checkAddress("0:0:0:0:0:ffff:10.0.0.1")).toBe("blocked");
  });

  test.each([
    "",
    "localhost",
    "8.8.8",
    "8.8.8.8.8",
    "8.8.8.256",
    "8.8.8.08",
    "08.8.8.8",
    "0x8.8.8.8",
    "134744072",
    " 8.8.8.8",
    "8.8.8.8\n",
    "8.8.8.-8",
    "8.8.8.",
    "8.8.8.8/32",
    "[2606:4700::1]",
    "2606:4700::1%eth0",
    "fe80::1%1",
    "2606:4700::1::2",
    "2606:4700:::1",
    ":2606::1",
    "2606::1:",
    "2606:4700:1:2:3:4:5",
    "2606:4700:1:2:3:4:5:6:7",
    "2606:4700:1:2:3:4:5::6",
    "::2606:4700:1:2:3:4:5:6",
    "2606:47000::1",
    "2606:g::1",
    "8.8.8.8::1",
    "2606::8.8.8.8:1",
    "2606::8.8.8.256",
    "٨.٨.٨.٨",
    "2606:4700::1".padEnd(5_000, "0"),
  ])("that is none is blocked: %j", (address) => {
    expect(parseIp(address)).toBeUndefined();
    expect(checkAddress(address)).toBe("blocked");
  });

  test("is read as Node reads it", () => {
    const ipv4 = fc.ipV4();
    const almost = fc.string({ unit: fc.constantFrom(..."0129af:.%/"), maxLength: 24 });
    fc.assert(
      fc.property(fc.oneof(ipv4, fc.ipV6(), almost, fc.string()), (text) => {
        expect(parseIp(text)?.length).toBe(isIPv4(text) ? 4 : isIPv6(text) && !text.includes("%") ? 16 : undefined);
      }),
      { numRuns: propertyRuns(5_000), seed: 1 },
    );
  });

  test("is the same address however it is written", () => {
    const groups = fc.array(fc.oneof(fc.constant(0), fc.nat(0xffff)), { minLength: 8, maxLength: 8 });
    fc.assert(
      fc.property(groups, (numbers) => {
        const full = numbers.map((group) => group.toString(16).padStart(4, "0")).join(":");
        const short = new URL(`https://[${full}]`).hostname.slice(1, -1);
        expect(parseIp(short)).toEqual(parseIp(full.toUpperCase()));
        expect(checkAddress(short)).toBe(checkAddress(full));
      }),
      { numRuns: propertyRuns(2_000), seed: 2 },
    );
  });
});

describe("exceptions", () => {
  const network = compileNetwork({ allowCidrs: ["127.0.0.1/32", "fd00:1::/32", "192.168.4.0/22"], denyCidrs: ["8.8.4.0/24", "192.168.5.1"] });

  test.each([
    ["127.0.0.1", "public"],
    ["::ffff:127.0.0.1", "public"],
    ["127.0.0.2", "blocked"],
    ["127.0.0.0", "blocked"],
    ["192.168.3.255", "blocked"],
    ["192.168.4.0", "public"],
    ["192.168.7.255", "public"],
    ["192.168.8.0", "blocked"],
    ["fd00:1:ffff::1", "public"],
    ["fd00:2::1", "blocked"],
    ["::1", "blocked"],
  ])("open their own blocks and nothing else: %s is %s", (address, expected) => {
    expect(checkAddress(address, network)).toBe(expected);
  });

  test("are beaten by what is denied, which closes public addresses as well", () => {
    expect(checkAddress("192.168.5.1", network)).toBe("blocked");
    expect(checkAddress("8.8.4.4", network)).toBe("blocked");
    expect(checkAddress("8.8.8.8", network)).toBe("public");
  });

  test.each([
    "",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0.0.0/8/8",
    "10.0.0.1/8",
    "fd00::/129",
    "fd00::1/64",
    "10/8",
    "host/8",
    "::ffff:10.0.0.0/104",
    "64:ff9b::7f00:1",
  ])("that are no block are refused at start-up: %j", (block) => {
    expect(() => compileNetwork({ allowCidrs: [block] })).toThrow(ConfigurationError);
  });

  test("that are no names or ports are refused at start-up", () => {
    for (const host of ["", "a b", "https://a.com", "a.com:8443", "a.com/x", "user@a.com", "127.0.0.1", "2130706433", "[::1]"]) {
      expect(() => compileNetwork({ allowHosts: [host] }), host).toThrow(ConfigurationError);
      expect(() => compileNetwork({ denyHosts: [host] }), host).toThrow(ConfigurationError);
    }
    for (const port of [0, -1, 65_536, 1.5, Number.NaN]) expect(() => compileNetwork({ allowedPorts: [port] })).toThrow(ConfigurationError);
  });

  test("are listed for the log as they were written", () => {
    expect(compileNetwork({ allowCidrs: ["127.0.0.1/32"], allowHosts: ["LOCALHOST"] }).exceptions).toEqual(["127.0.0.1/32", "LOCALHOST"]);
    expect(compileNetwork().exceptions).toEqual([]);
  });
});

test("a block holds exactly the addresses that share its prefix", () => {
  fc.assert(
    fc.property(fc.nat(0xffffffff), fc.nat(0xffffffff), fc.integer({ min: 0, max: 32 }), (one, other, prefixBits) => {
      const dotted = (value: number) => [24, 16, 8, 0].map((shift) => (value >>> shift) & 255).join(".");
      const size = 2 ** (32 - prefixBits);
      const start = Math.floor(one / size) * size;
      const address = parseIp(dotted(other));
      const inside = other >= start && other < start + size;
      expect(address && isWithin(address, parseCidr(`${dotted(start)}/${prefixBits}`))).toBe(inside);
    }),
    { numRuns: propertyRuns(3_000), seed: 3 },
  );
});
