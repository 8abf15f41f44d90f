/** What a page needs to upload by Uppy; it is bundled for the browser. */
export { default as Uppy } from "@uppy/core";
export { default as Tus } from "@uppy/tus";
