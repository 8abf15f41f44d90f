/** What the names of the types of Office documents begin with: Office Open XML. */
export const openXml = "application/vnd.openxmlformats-officedocument";

/** What the names of the types of OpenDocument begin with. */
export const openDocument = "application/vnd.oasis.opendocument";
