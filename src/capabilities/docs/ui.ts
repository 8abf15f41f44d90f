import type { SentDocument } from "../../engine/operation/answers/sentDocuments.js";
import type { Asset } from "./assets/asset.js";
import type { PageName } from "./reading/pages.js";

/** What shows a document: pages, and the files that they load. */
export interface DocsUi {
  readonly assets: readonly Asset[];
  readonly headers: Readonly<Record<string, string>>;
  /** Whether it has pages beside the first. */
  readonly hasMorePages: boolean;
  /** A page of a document; `undefined` if the document has none of this name. */
  page(document: SentDocument, name: PageName): Promise<SentDocument | undefined>;
}
