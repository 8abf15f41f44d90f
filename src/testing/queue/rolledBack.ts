import assert from "node:assert/strict";

/** Runs `run` in a transaction that then fails on purpose. */
export async function rolledBack<A extends readonly unknown[]>(
  stage: { transaction(run: (...inner: A) => Promise<void>): Promise<unknown> },
  run: (...inner: A) => Promise<void>,
): Promise<void> {
  const rollback = new Error("on purpose");
  const transaction = stage.transaction(async (...inner) => {
    await run(...inner);
    throw rollback;
  });
  await assert.rejects(transaction, (error) => error === rollback);
}
