import { type BlobContractOptions, blobContract } from "restwright/testing";
import { expect, test } from "vitest";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other, besides the scenarios in `leftOut`. */
export async function testBlobs(
  open: BlobContractOptions["open"],
  lacks: readonly string[] = [],
  leftOut: Readonly<Record<string, string>> = {},
): Promise<void> {
  const cases = await blobContract({ open });
  for (const { name, skip, run } of cases) if (skip === undefined && leftOut[name] === undefined) test(name, run);
  test("is let off nothing but what it does not have", () => {
    expect(new Set(cases.flatMap(({ skip }) => skip ?? []))).toEqual(new Set(lacks));
    expect(cases.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(leftOut)));
  });
}
