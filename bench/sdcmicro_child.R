# sdcMicro in R: Rscript sdcmicro_child.R FOLDER K. It knows k only, and hides single cells (local suppression).
#
# FOLDER holds rows.tsv (a line of names, the last one the sensitive column, then the rows), all of them text.
# Writes JSON: hidden (per quasi-identifier the rows whose cell is hidden, from 0), seconds of the processor.
suppressPackageStartupMessages(library(sdcMicro))
asked <- commandArgs(trailingOnly = TRUE)
rows <- read.delim(file.path(asked[1], "rows.tsv"), colClasses = "character", quote = "", check.names = FALSE)
columns <- names(rows)
names(rows) <- paste0("c", seq_along(columns)) # sdcMicro reads names as expressions
keys <- head(names(rows), -1)
rows[keys] <- lapply(rows[keys], factor)
began <- proc.time()
made <- extractManipData(kAnon(createSdcObj(rows, keyVars = keys), k = as.integer(asked[2])))
took <- proc.time() - began
hidden <- lapply(stats::setNames(keys, head(columns, -1)), function(name) I(which(is.na(made[[name]])) - 1L))
seconds <- unname(took["user.self"] + took["sys.self"] + took["user.child"] + took["sys.child"])
cat(jsonlite::toJSON(list(hidden = hidden, seconds = jsonlite::unbox(seconds))), "\n")
