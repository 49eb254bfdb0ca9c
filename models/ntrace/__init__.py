"""N-Trace (Nexus) messages: field tables, codec, encoder model and decoder.

The encoder model and the decoder share the field table and the codec, nothing else: two readings of one text.
"""
