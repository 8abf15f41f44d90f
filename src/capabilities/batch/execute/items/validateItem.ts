import { isRefusal } from "../../../../ground/problem/index.js";
import type { Validation } from "../slices.js";
import { failedItem, type ItemProblems } from "./failedItem.js";

/** The result of `validate`, without a promise if it returns none; a problem that the client caused becomes the result of the item. */
export function validateItem<Ready>(problems: ItemProblems, validate: () => Ready | Promise<Ready>): Validation<Ready> | Promise<Validation<Ready>> {
  const refuse = (error: unknown): Validation<Ready> => {
    if (isRefusal(error)) return { result: failedItem(error, problems) };
    throw error;
  };
  try {
    const ready = validate();
    return ready instanceof Promise ? ready.then((value) => ({ ready: value }), refuse) : { ready };
  } catch (error) {
    return refuse(error);
  }
}
