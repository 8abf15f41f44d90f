import type { Catalogue } from "restwright/languages";
import { batches } from "./fr/batches.js";
import { codes } from "./fr/codes.js";
import { files } from "./fr/files.js";
import { jobs } from "./fr/jobs.js";
import { multipart } from "./fr/multipart.js";
import { others } from "./fr/others.js";
import { patches } from "./fr/patches.js";
import { queries } from "./fr/queries.js";
import { requests } from "./fr/requests.js";
import { schema } from "./fr/schema.js";
import { titles } from "./fr/titles.js";
import { transfers } from "./fr/transfers.js";
import { uploads } from "./fr/uploads.js";
import { webhooks } from "./fr/webhooks.js";
import { words } from "./fr/words.js";

/** Problems in French. */
export const fr: Catalogue = {
  titles,
  texts: {
    ...words,
    ...schema,
    ...requests,
    ...queries,
    ...patches,
    ...batches,
    ...jobs,
    ...transfers,
    ...uploads,
    ...webhooks,
    ...files,
    ...multipart,
    ...others,
  },
  codes,
};
