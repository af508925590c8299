;; Speaks each string of sentences.scm with the current voice and writes N.wav and N.words beside it, in the form that
;; flite-words.c describes. A sentence at which the voice gives up leaves no whole N.words and does not end the rest.

(define (feature-or-empty item name)
  (let ((value (item.feat item name)))
    (if (equal? value 0) "" value)))

(define (write-word out word)
  (let ((first (item.daughter1 (item.daughter1 (item.relation word 'SylStructure))))
        (last (item.daughtern (item.daughtern (item.relation word 'SylStructure)))))
    (if (and first last)
        (format out "W\t%s\t%l\t%l\n" (item.name word)
                (item.feat first "segment_start") (item.feat last "segment_end")))))

(define (write-words path utterance)
  (let ((out (fopen path "w")))
    (mapcar
     (lambda (token)
       ;; The relation is a forest: tokens are its roots, words their daughters.
       (if (null? (item.parent token))
           (begin
             (format out "T\t%s%s\t%s\n" (feature-or-empty token 'prepunctuation) (item.name token)
                     (feature-or-empty token 'punc))
             (mapcar (lambda (word) (write-word out word)) (item.daughters token)))))
     (utt.relation.items utterance 'Token))
    (format out "E\n")
    (fclose out)))

(define (speak-one number text)
  (let ((utterance (utt.synth (eval (list 'Utterance 'Text text)))))
    (utt.save.wave utterance (string-append number ".wav") 'riff)
    (write-words (string-append number ".words") utterance)))

(define (speak-all sentences number)
  (if sentences
      (begin
        (unwind-protect (speak-one (format nil "%d" number) (car sentences)) nil)
        (speak-all (cdr sentences) (+ number 1)))))

;; Read and not evaluated: the strings are the file's whole contents.
(speak-all (load "sentences.scm" t) 0)
