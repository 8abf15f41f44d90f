import { afterEach, expect, test } from "vitest";
import { type UploadStage, uploadStage } from "./stage.js";

let stage: UploadStage;

afterEach(() => stage.close());

test.each([
  ["ports of an IPv4 address", ["192.0.2.1", "192.0.2.1:4711", "::ffff:192.0.2.1", "[::ffff:c000:201]:443"], "192.0.2.2"],
  ["addresses of an IPv6 network", ["2001:db8::1", "[2001:DB8:0:0:8::2]:4711", "2001:db8::3%eth0"], "2001:db8:0:1::1"],
  ["notations of a mapped address", ["::ffff:c000:0201", "::ffff:192.0.2.1"], "::ffff:c000:202"],
])("the %s share one quota", async (_name, [first = "", ...others], stranger) => {
  stage = await uploadStage({ trustedHops: 1, uploads: { maxOpen: 1 } });
  const begin = async (address: string) => {
    const headers = { "upload-length": 5, "x-forwarded-for": address };
    return [address, (await stage.send("POST", "/uploads", { headers })).status];
  };
  expect(await begin(first)).toEqual([first, 201]);
  for (const other of others) expect(await begin(other)).toEqual([other, 413]);
  expect(await begin(stranger)).toEqual([stranger, 201]);
});
