import { quoteText } from "../../schema/identifier.js";
import type { Locks } from "../locks.js";

/** The locks of PostgreSQL: of rows, and of numbers until the transaction ends. */
export const postgresLocks: Locks = {
  update: " for update",
  share: " for key share",
  skipLocked: " for update skip locked",
  shareOf: (alias) => ` for key share of ${alias}`,
  conflicting: (column) => `update set ${column} = excluded.${column}`,
  number: "select pg_advisory_xact_lock($1::bigint)",
  migration: (number) => `select pg_advisory_xact_lock(${number})`,
  claim({ number, table, group, isOverestimated }) {
    const key = `${quoteText(table)}::regclass::oid::int${group === undefined ? "" : " # hashtext($1)"}`;
    // Compiling a claim to machine code, which PostgreSQL does where it overestimates the rows, takes a hundred times as long as the claim.
    const compilesNothing = isOverestimated === true ? `, (select set_config('jit', 'off', true))` : "";
    const from = ` from (select pg_advisory_xact_lock(${number}, ${key})${compilesNothing} offset 0) as locked`;
    return { from, values: group === undefined ? [] : [group] };
  },
};
