import { ProblemError } from "../problem/index.js";
import { failedItem, type ItemProblems } from "./failedItem.js";
import type { Judgement } from "./slices.js";

/** What `judge` makes of an item; a problem of the client's becomes the item's result. */
export async function judgeItem<Ready>(problems: ItemProblems, judge: () => Promise<Ready>): Promise<Judgement<Ready>> {
  try {
    return { ready: await judge() };
  } catch (error) {
    if (error instanceof ProblemError && error.status < 500) return { result: failedItem(error, problems) };
    throw error;
  }
}
