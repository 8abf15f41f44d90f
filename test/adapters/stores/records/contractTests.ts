import type { ContractCase } from "restwright/testing";
import { expect, test } from "vitest";

/** Runs the cases of a contract on a store; it may be let off for the reasons in `lacks` and no other. */
export function testContract(cases: readonly ContractCase[], lacks: readonly string[]): void {
  for (const { name, skip, run } of cases) if (skip === undefined) test(name, run);
  test("is let off nothing but what it does not have", () => {
    expect(new Set(cases.flatMap(({ skip }) => skip ?? []))).toEqual(new Set(lacks));
  });
}
