import { translation } from "../../../engine/operation/answers/translation.js";
import type { Context } from "../../../engine/operation/context.js";
import { asProblem } from "../../../engine/operation/faults/asProblem.js";
import { reportFault } from "../../../engine/operation/faults/reportFault.js";
import { failedItem, type ItemProblems } from "../execute/items/failedItem.js";
import type { BatchSettings } from "./settings.js";

/** Settings of a batch, from its request and the options. */
export function batchSettings({ environment, request, requestId }: Context): BatchSettings {
  const { limits, problemDocs, offers } = environment;
  const problems: ItemProblems = {
    requestId,
    docs: problemDocs,
    translate: (problem, document) => offers.get(translation)?.(problem, document, request).document,
  };
  return {
    transaction: environment.storage.transaction === undefined ? undefined : environment.transaction,
    writeRetries: limits.writeRetries,
    retry: environment,
    problems,
    fault(error) {
      const problem = asProblem(error);
      reportFault(environment, problem, error, request, requestId);
      return failedItem(problem, problems);
    },
  };
}
