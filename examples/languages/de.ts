import type { Catalogue } from "restwright/languages";
import { batches } from "./de/batches.js";
import { codes } from "./de/codes.js";
import { files } from "./de/files.js";
import { jobs } from "./de/jobs.js";
import { multipart } from "./de/multipart.js";
import { others } from "./de/others.js";
import { patches } from "./de/patches.js";
import { queries } from "./de/queries.js";
import { requests } from "./de/requests.js";
import { schema } from "./de/schema.js";
import { titles } from "./de/titles.js";
import { transfers } from "./de/transfers.js";
import { uploads } from "./de/uploads.js";
import { webhooks } from "./de/webhooks.js";
import { words } from "./de/words.js";

/** Problems in German. */
export const de: Catalogue = {
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
