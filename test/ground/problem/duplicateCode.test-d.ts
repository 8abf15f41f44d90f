import { expectTypeOf, test } from "vitest";
import { type DuplicateCode, duplicateCode } from "../../../src/ground/problem/index.js";

/** Keys and their codes; `duplicateCode.test.ts` compares the same list with the function. */
interface Codes {
  readonly email: "DUPLICATE_EMAIL";
  readonly externalId: "DUPLICATE_EXTERNAL_ID";
  readonly userURL: "DUPLICATE_USER_URL";
  readonly line2Total: "DUPLICATE_LINE2_TOTAL";
  readonly snake_case: "DUPLICATE_SNAKE_CASE";
  readonly aB1C: "DUPLICATE_A_B1_C";
  readonly größeÜber: "DUPLICATE_GRÖSSEÜBER";
}

test("the code of a key for the compiler is the one that is sent", () => {
  type Made = { readonly [Name in keyof Codes]: DuplicateCode<Name> };
  expectTypeOf<Made>().toEqualTypeOf<Codes>();
  expectTypeOf<DuplicateCode<readonly ["tenantId", "email"]>>().toEqualTypeOf<"DUPLICATE_TENANT_ID_EMAIL">();
  expectTypeOf<DuplicateCode<"a" | readonly ["b", "c"]>>().toEqualTypeOf<"DUPLICATE_A" | "DUPLICATE_B_C">();
  expectTypeOf<
    DuplicateCode<"aVeryLongNameOfAFieldThatSomebodyMayHaveWrittenAllTheSame">
  >().toEqualTypeOf<"DUPLICATE_A_VERY_LONG_NAME_OF_AFIELD_THAT_SOMEBODY_MAY_HAVE_WRITTEN_ALL_THE_SAME">();
  expectTypeOf<DuplicateCode<string>>().toEqualTypeOf<`DUPLICATE_${string}`>();
  expectTypeOf(duplicateCode).returns.toExtend<string>();
});
