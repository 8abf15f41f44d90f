import { isRefusal } from "../../../../ground/problem/index.js";
import type { Validation } from "../slices.js";
import { failedItem, type ItemProblems } from "./failedItem.js";

/** The result of `validate`; a problem that the client caused becomes the result of the item. */
export async function validateItem<Ready>(problems: ItemProblems, validate: () => Promise<Ready>): Promise<Validation<Ready>> {
  try {
    return { ready: await validate() };
  } catch (error) {
    if (isRefusal(error)) return { result: failedItem(error, problems) };
    throw error;
  }
}
