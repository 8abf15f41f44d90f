import { z } from "zod";
import { callable, either, flag, having, named, oneOf, passing, type Shape, strict, texts, whole } from "../../ground/options/index.js";
import { maxPresignedSeconds } from "../../parts/auth/aws4/maxPresignedSeconds.js";
import { checksSchema } from "../../parts/checks/fileChecks.js";
import { typesSchema } from "../../parts/checks/types/typeCheck.js";
import { multipartLimitShape } from "../../parts/multipart/multipartLimits.js";
import type { FormRules } from "./forms/formRules.js";
import { durabilities, type FormOptions, type UploadOptions, visibilities } from "./options.js";

/** The schema of {@link UploadOptions}. */
export function uploadsSchema(): z.ZodObject {
  return strict<UploadOptions>(
    {
      blobs: having('a BlobStore, such as diskBlobs({ path: "data/blobs" })', "open"),
      types: typesSchema(),
      checks: checksSchema(),
      checkMs: whole(1),
      maxBytes: whole(0),
      plainBytes: whole(0),
      durability: oneOf(...durabilities),
      presignSeconds: whole(1, maxPresignedSeconds),
      expiresMs: whole(1_000),
      maxOpen: whole(1),
      quotaBytes: passing(
        "a number of at least 0, or a function",
        (value) => typeof value === "function" || (typeof value === "number" && value >= 0),
      ),
      forms: named(formSchema(), "an object with forms by their names"),
      visibility: oneOf(...visibilities),
      publicMaxAgeSeconds: whole(0, 2_147_483_648),
      allowTerminateFinished: flag(),
      isAdmin: callable(),
      onReady: callable(),
      store: having("an UploadStore, such as redisUploads(client)", "create"),
    },
    ["blobs", "types"],
  );
}

/** The schema of {@link FormOptions}. */
export function formSchema(): z.ZodObject {
  return strict<FormOptions>(
    {
      types: typesSchema(),
      checks: checksSchema(),
      limits: strict(multipartLimitShape()),
      visibility: oneOf(...visibilities),
      ...formRuleShape(),
    },
    ["types"],
  );
}

/** The schemas of {@link FormRules}. */
export function formRuleShape(): Shape<FormRules> {
  const orAny = () => either('an array of texts, or "any"', z.literal("any"), texts());
  return { fields: orAny(), files: orAny(), requiredFiles: texts() };
}
