import { type UploadContractOptions, uploadContract } from "restwright/testing";
import { expect, test } from "vitest";

/** Runs the contract on a store; it may be let off for the reasons in `lacks` and no other. */
export async function testUploads(open: UploadContractOptions["open"], lacks: readonly string[] = []): Promise<void> {
  const cases = await uploadContract({ open });
  for (const { name, skip, run } of cases) if (skip === undefined) test(name, run);
  test("is let off nothing but what it does not have", () => {
    expect(new Set(cases.flatMap(({ skip }) => skip ?? []))).toEqual(new Set(lacks));
  });
}
