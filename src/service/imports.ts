import type { JobHandler } from "../jobs/handler.js";
import { jobOperations } from "../jobs/operations.js";
import type { Environment } from "../operation/environment.js";
import type { LinkedResource } from "../resource/link.js";
import { importErrorsOperation } from "../transfer/importErrors.js";
import { importHandler } from "../transfer/importHandler.js";
import { importKind } from "../transfer/importKind.js";
import { importNowOperation } from "../transfer/importNow.js";
import { isImportable } from "../transfer/importPlan.js";
import { resumeImportOperation } from "../transfer/resumeImport.js";
import { submitImportOperation } from "../transfer/submitImport.js";
import type { Route } from "./router.js";

type Resources = ReadonlyMap<string, LinkedResource>;

/** The paths of imports: those of the collections, and those of jobs. */
export function importRoutes(resources: Resources, environment: Environment): readonly Route[] {
  const { limits, jobs, blobs } = environment;
  const importable = [...resources.values()].filter(({ resource }) => isImportable(resource));
  if (importable.length === 0) return [];
  const now = importable.map((linked) => ({ segments: [linked.name, "import"], operations: [importNowOperation(linked, resources, limits)] }));
  if (resources.has("imports")) return now;
  const submit = { segments: ["imports"], operations: [submitImportOperation("imports.create", resources, limits)] };
  if (jobs === undefined) return [...now, submit];
  const kind = importKind(jobs, blobs);
  return [
    ...now,
    submit,
    ...(resources.has("jobs") ? [] : [{ segments: ["jobs", "import"], operations: [submitImportOperation("jobs.import", resources, limits)] }]),
    ...jobOperations(kind),
    { segments: ["imports", null, "resume"], operations: [resumeImportOperation(kind)] },
    { segments: ["imports", null, "errors"], operations: [importErrorsOperation(kind)] },
  ];
}

/** Does imports; none where they cannot be done as jobs. */
export function importHandlers(resources: Resources, environment: Environment): readonly JobHandler[] {
  return environment.jobs === undefined || environment.blobs === undefined ? [] : [importHandler(resources, environment)];
}
