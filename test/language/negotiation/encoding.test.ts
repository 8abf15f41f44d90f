import { expect, test } from "vitest";
import { selectEncoding } from "../../../src/language/negotiation/index.js";

const offered = ["br", "gzip"] as const;

// RFC 9110 §12.5.3
test.each([
  // Without a header every coding is acceptable, but not every client without a header can decode one.
  [undefined, "identity"],
  ["", "identity"],
  [" ,", "identity"],
  ["compress, gzip", "gzip"],
  ["*", "br"],
  ["compress;q=0.5, gzip;q=1.0", "gzip"],
  ["gzip;q=1.0, identity; q=0.5, *;q=0", "gzip"],
  ["gzip, deflate, br, zstd", "br"],
  ["br;q=0.9, gzip", "gzip"],
  ["GZIP", "gzip"],
  ["x-gzip", "gzip"],
  ["gzip;q=0, x-gzip", "identity"],
  ["deflate", "identity"],
  ["gzip;q=0.001", "gzip"],
  ["gzip;q=0", "identity"],
  ["identity", "identity"],
  ["identity, gzip", "gzip"],
  ["identity, gzip;q=0.5", "identity"],
  ["identity;q=0.5, *;q=0.3", "identity"],
  ["identity;q=0, gzip;q=0.1", "gzip"],
  ["identity;q=0", undefined],
  ["identity;q=0, deflate", undefined],
  ["*;q=0", undefined],
  ["*;q=0, identity;q=0.1", "identity"],
  ["*;q=0, gzip;q=0.1", "gzip"],
  ["gzip;q=0, *", "br"],
  ["gzip;q=2", "identity"],
  [";;;,=,gzip;q", "gzip"],
])("of Accept-Encoding: %s is %s", (header, coding) => {
  expect(selectEncoding(header, offered)).toBe(coding);
});

test("a server that names identity among its codings decides where it stands", () => {
  expect(selectEncoding("gzip, identity", ["identity", "gzip"])).toBe("identity");
  expect(selectEncoding("gzip", ["identity", "gzip"])).toBe("gzip");
});
