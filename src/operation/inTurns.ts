import { setImmediate as turn } from "node:timers/promises";

/** So many items are done at a stretch before others have their turn. */
export const itemsATurn = 50;

/** Does one after the other, and lets others have their turn now and then. */
export async function inTurns<Item, R>(items: readonly Item[], does: (item: Item, offset: number) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const [offset, item] of items.entries()) {
    results.push(await does(item, offset));
    if (results.length % itemsATurn === 0) await turn();
  }
  return results;
}
