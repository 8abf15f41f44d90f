/** Who takes forms. */
export const formNames = {
  restwright: "restwright",
  restwrightUnsynced: "restwright, sync left out",
  multer: "multer",
  multerFlush: "multer, flush: true",
  formidable: "formidable",
  fastify: "@fastify/multipart",
  pipeline: "pipeline to a file, no parser",
} as const;

export type FormName = (typeof formNames)[keyof typeof formNames];

/** They are no dependencies: nothing but this benchmark needs them. */
export const formPackages = ["multer@2.5.0", "formidable@3.5.4", "@fastify/multipart@10.1.9"] as const;

/** Those that are among the packages. */
export const peerNames: ReadonlySet<FormName> = new Set([formNames.multer, formNames.multerFlush, formNames.formidable, formNames.fastify]);
