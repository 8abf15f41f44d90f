import { asProblem } from "../../operation/asProblem.js";
import type { Context } from "../../operation/context.js";
import { reportFault } from "../../operation/reportFault.js";
import { failedItem } from "../execute/failedItem.js";
import type { BatchSettings } from "./settings.js";

/** Settings of a batch, from its request and the options. */
export function batchSettings({ environment, request, requestId }: Context): BatchSettings {
  const { limits, problemDocs } = environment;
  const problems = { requestId, docs: problemDocs };
  return {
    storage: environment.storage.transaction === undefined ? undefined : environment,
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
