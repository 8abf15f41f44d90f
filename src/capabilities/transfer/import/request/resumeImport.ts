import type { Operation } from "../../../../engine/operation/operation.js";
import { retrying } from "../../../../engine/operation/work/retry.js";
import { ProblemError } from "../../../../ground/problem/index.js";
import { answerJob } from "../../../jobs/answer.js";
import { findJob } from "../../../jobs/findJob.js";
import type { JobKind } from "../../../jobs/kind.js";
import { requireRoom } from "../../../jobs/submit/submit.js";
import { validateJob } from "../../../jobs/validateJob.js";

/** POST that resumes a failed import where it ended, with the same file. */
export function resumeImportOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.resume`,
    method: "POST",
    standsAlone: true,
    access: { action: "update", collection: undefined },
    async run(context) {
      const { store, wake } = kind.settings;
      const state = await findJob(kind, context);
      validateJob(context, state);
      if (state.status !== "failed") {
        throw new ProblemError("NOT_RESUMABLE", `The import is ${state.status}; only a failed import can be resumed.`);
      }
      await requireRoom(kind.settings, state.tenant, store);
      if (!(await retrying(() => store.reopen(state.id), context.environment))) {
        throw new ProblemError("NOT_RESUMABLE", "The file of the import has been removed; send it again, with an offset.");
      }
      wake();
      return answerJob(kind, context, await findJob(kind, context), { status: 202 });
    },
  };
}
