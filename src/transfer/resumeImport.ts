import { answerJob } from "../jobs/answer.js";
import { findJob } from "../jobs/findJob.js";
import { judgeJob } from "../jobs/judge.js";
import type { JobKind } from "../jobs/kind.js";
import { requireRoom } from "../jobs/submit.js";
import type { Operation } from "../operation/operation.js";
import { retrying } from "../operation/retry.js";
import { ProblemError } from "../problem/index.js";

/** POST that lets a failed import go on where it ended, with the same file. */
export function resumeImportOperation(kind: JobKind): Operation {
  return {
    name: `${kind.path}.resume`,
    method: "POST",
    safety: "unsafe",
    standsAlone: true,
    access: { action: "update", collection: undefined },
    async run(context) {
      const { store, wake } = kind.settings;
      const state = await findJob(kind, context);
      judgeJob(context, state);
      if (state.status !== "failed") {
        throw new ProblemError("NOT_RESUMABLE", `The import is ${state.status}; only one that has failed can go on.`);
      }
      await requireRoom(kind.settings, state.tenant, store);
      if (!(await retrying(() => store.reopen(state.id), context.environment))) {
        throw new ProblemError("NOT_RESUMABLE", "Nothing is kept of the import that it could go on with; send the file again, with an offset.");
      }
      wake();
      return answerJob(kind, context, await findJob(kind, context), { status: 202 });
    },
  };
}
