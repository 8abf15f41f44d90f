import type { Row } from "../../../ground/storage/collection.js";
import type { Outcome } from "../../../ground/storage/outcome.js";

/** A write whose row would be outside of the scope. */
export const outside: Outcome<Row> = { ok: false, why: "scope", when: "after" };
