import type { Host } from "../../../../engine/capability/host.js";
import type { Environment } from "../../../../engine/operation/environment.js";
import type { JobEnd } from "../../../../ground/storage/queue/jobs.js";
import type { Principal } from "../../../../parts/auth/verifier.js";
import type { JobHandler } from "../../../jobs/run/handler.js";
import { jobContext } from "../../../jobs/run/jobContext.js";
import type { ImportSettings } from "../../settings.js";
import type { ImportFile } from "../file/importFile.js";
import { importJobs } from "../request/importKind.js";
import { planImport } from "../request/importPlan.js";
import { RunningImport } from "./runningImport.js";

/** The input of the job of an import. */
export interface ImportInput {
  readonly collection: string;
  readonly settings: ImportSettings;
  readonly file: ImportFile;
}

/** Runs the jobs of imports. */
export function importHandler(resourcesIn: Host["resourcesIn"], environment: Environment): JobHandler {
  return {
    type: importJobs.type,
    isResumable: true,
    async run(job, call) {
      const context = await jobContext(environment, job, call);
      const { collection, settings, file } = context.body as ImportInput;
      const resources = resourcesIn(context.environment.version?.name);
      const planFor = (principal: Principal) => {
        const scopes = environment.scopesOf(principal);
        return planImport({ ...context, principal, scopes }, resources, { collection, settings });
      };
      await new RunningImport(await planFor(context.principal), file, { running: context.job, planFor }).run();
      return completed;
    },
  };
}

const completed: JobEnd = { status: "completed" };
