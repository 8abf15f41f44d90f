import type { JobHandler } from "../jobs/handler.js";
import { jobContext } from "../jobs/jobContext.js";
import type { StoredRequest } from "../jobs/storedRequest.js";
import type { Environment } from "../operation/environment.js";
import type { LinkedResource } from "../resource/link.js";
import type { JobEnd } from "../storage/jobs.js";
import type { ImportFile } from "./importFile.js";
import { importJobs } from "./importJobs.js";
import { planImport } from "./importPlan.js";
import { RunningImport } from "./runningImport.js";
import type { ImportSettings } from "./settings.js";

/** What the job of an import is asked to do. */
export interface ImportInput {
  readonly collection: string;
  readonly settings: ImportSettings;
  readonly file: ImportFile;
}

/** Does the jobs of imports. */
export function importHandler(resources: ReadonlyMap<string, LinkedResource>, environment: Environment): JobHandler {
  return {
    type: importJobs.type,
    isResumable: true,
    async run(job, call) {
      const context = jobContext(environment, job, call);
      const { collection, settings, file } = (job.input as StoredRequest).body as ImportInput;
      const plan = await planImport(context, resources, { collection, settings });
      await new RunningImport(plan, file, job, call).run();
      return completed;
    },
  };
}

const completed: JobEnd = { status: "completed" };
